package filescan

import (
	"path"
	"slices"
	"strings"
)

// kind is how values are written in a file.
type kind int

const (
	plain    kind = iota // values may stand without quotes
	envFile              // NAME=value
	yamlFile             // name: value
	code                 // a value without quotes is an expression
	data                 // JSON and TOML: values stand in quotes
	prose                // documents that show examples
	notebook             // code inside of JSON strings
)

var codeEndings = []string{
	".go", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".py", ".pyi", ".java", ".kt", ".kts", ".cs", ".rb",
	".php", ".rs", ".swift", ".c", ".h", ".cc", ".cpp", ".hpp", ".m", ".mm", ".scala", ".groovy", ".gradle", ".sql", ".lua",
	".dart", ".tf", ".hcl", ".vue", ".svelte", ".ex", ".exs", ".erl", ".clj", ".hs", ".ml", ".fs", ".vb", ".r", ".jl", ".pl",
	".pm", ".sol", ".zig", ".nim", ".html", ".htm", ".css", ".scss", ".less", ".graphql", ".proto", ".map",
}

// kindOf says how values are written in a file of a name.
func kindOf(name string) kind {
	base := strings.ToLower(path.Base(name))
	ending := path.Ext(base)
	switch {
	case strings.HasPrefix(base, ".env"), strings.HasSuffix(base, ".env"), base == ".envrc", ending == ".properties", ending == ".sh", ending == ".bash", ending == ".zsh":
		return envFile
	case ending == ".yaml", ending == ".yml":
		return yamlFile
	case ending == ".ipynb":
		return notebook
	case ending == ".json", ending == ".jsonc", ending == ".json5", ending == ".toml", ending == ".tfvars", ending == ".tfstate", ending == ".webmanifest":
		return data
	case ending == ".md", ending == ".mdx", ending == ".rst", ending == ".adoc", ending == ".txt", strings.HasPrefix(base, "readme"):
		return prose
	case slices.Contains(codeEndings, ending), base == "jenkinsfile", base == "vagrantfile", base == "rakefile":
		return code
	}
	return plain
}

// bare reports whether a value without quotes is literal in a kind of file.
func (k kind) bare() bool {
	return k == plain || k == envFile || k == yamlFile
}
