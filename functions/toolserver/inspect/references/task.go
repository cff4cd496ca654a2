package references

import (
	"path"
	"strings"

	"go.yaml.in/yaml/v3"
)

var taskFiles = []string{"Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml", "Taskfile.dist.yml", "Taskfile.dist.yaml"}

var taskValued = words("-d --dir -t --taskfile -o --output -c -C --concurrency -I --interval")

// taskfile checks the tasks that task is given.
func (s *session) taskfile(cmd command) {
	for _, each := range values(cmd.args, "-t", "--taskfile") {
		s.required(cmd.at, each)
		return
	}

	var files []*targets
	for _, dir := range s.dirsFor(cmd, "-d", "--dir") {
		if found := s.project.fileAbove(dir, taskFiles); found != "" {
			files = append(files, s.project.taskfile(found))
		}
	}

	names := operands(beforeDashes(cmd.args), taskValued)
	s.oneOf(cmd.at, Task, names, files)
}

// taskfile is what a Taskfile defines, with all that it includes.
func (p *project) taskfile(name string) *targets {
	if known := p.taskfiles[name]; known != nil {
		return known
	}

	t := newTargets(name)
	p.taskfiles[name] = t
	var content struct {
		Includes map[string]yaml.Node
		Tasks    map[string]yaml.Node
	}

	text, err := p.text(name)
	if err != nil || yaml.Unmarshal(text, &content) != nil {
		t.open = true
		return t
	}

	for each, node := range content.Tasks {
		t.task(each)
		var details struct{ Aliases []string }
		_ = node.Decode(&details) // a task may be a plain text, which has no aliases
		for _, alias := range details.Aliases {
			t.task(alias)
		}
	}

	for prefix, node := range content.Includes {
		p.taskInclude(t, path.Dir(name), prefix, node)
	}

	return t
}

func (t *targets) task(name string) {
	if strings.Contains(name, "*") {
		t.pattern(name, "*")
		return
	}
	t.names[name] = true
}

// taskInclude adds the tasks of another file. One that cannot be read may define any below
// its prefix.
func (p *project) taskInclude(t *targets, folder, prefix string, node yaml.Node) {
	var details struct {
		Taskfile string
		Flatten  bool
		Aliases  []string
	}

	if node.Decode(&details.Taskfile) != nil {
		_ = node.Decode(&details) // an include that is neither leads to no file below
	}

	file := path.Join(folder, details.Taskfile)
	if !p.isFile(file) {
		file = p.fileIn(file, taskFiles...)
	}
	if details.Flatten {
		t.add("", p.taskfile(file))
		return
	}

	for _, each := range append(details.Aliases, prefix) {
		if file == "" {
			t.names[each] = true
			t.pattern(each+":*", "*")
			continue
		}
		included := p.taskfile(file)
		t.add(each+":", included)
		if included.names["default"] {
			t.names[each] = true
		}
	}
}
