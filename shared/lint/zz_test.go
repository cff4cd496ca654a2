package lint_test
import ("testing";"os";"encoding/json";"governance.internal/shared/lint";"fmt")
func TestZZ(t *testing.T){ b,_:=os.ReadFile("/tmp/probe.txt"); for _,l:=range splitLines(string(b)){ r,err:=lint.Lint([]byte(`{"mcpServers":{"s":`+serverOf(t,l)+`}}`)); fmt.Println(l," => ",gravest(r,"s"),rulesOf(r),err); _=json.Valid } }
func splitLines(s string)[]string{ var o []string; c:=""; for _,r:=range s{ if r=='\n'{ if c!=""{o=append(o,c)}; c="" } else {c+=string(r)} }; return o }
