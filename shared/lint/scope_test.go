package lint_test

import "testing"

func TestFileAccess(t *testing.T) { runTable(t, fileAccessCases) }

const fileAccessCases = `
node s.js / => MCP005:error
node s.js // => MCP005:error
node s.js /./ => MCP005:error
node s.js /home/.. => MCP005:error
node s.js /data/../.. => MCP005:error
node s.js C:\ => MCP005:error
node s.js c:/ => MCP005:error
node s.js D: => MCP005:error
node s.js /mnt/c => MCP005:error
node s.js ~ => MCP005:error
node s.js ~/ => MCP005:error
node s.js $HOME => MCP005:error
node s.js ${HOME} => MCP005:error
node s.js ${HOME}/ => MCP005:error
node s.js ${userHome} => MCP005:error
node s.js ${env:HOME} => MCP005:error
node s.js %USERPROFILE% => MCP005:error
node s.js $env:USERPROFILE => MCP005:error
node s.js /Users => MCP005:error
node s.js /home => MCP005:error
node s.js /root => MCP005:error
node s.js /Users/alice => MCP005:error
node s.js /Users/alice/ => MCP005:error
node s.js /home/alice => MCP005:error
node s.js /home/alice/project/.. => MCP005:error
node s.js C:\Users\alice => MCP005:error
node s.js C:\\Users\\alice\\ => MCP005:error
node s.js C:/Users => MCP005:error
node s.js /mnt/c/Users/alice => MCP005:error
node s.js /c/Users/alice => MCP005:error
node s.js file:///Users/alice => MCP005:error
node s.js --root=/ => MCP005:error
node s.js --allowed-dirs /srv,/ => MCP005:error
node s.js --dir ~ => MCP005:error
node s.js ~/.ssh => MCP005:error
node s.js ~/.ssh/id_ed25519 => MCP005:error
node s.js /Users/alice/.aws => MCP005:error
node s.js ${HOME}/.config/gcloud => MCP005:error
node s.js C:\Users\alice\.kube => MCP005:error
node s.js /etc => MCP005:error
node s.js /var/ => MCP005:error
node s.js /proc => MCP005:error
node s.js /etc/shadow => MCP005:error
node s.js /var/run/docker.sock => MCP005:error
node s.js unix:///var/run/docker.sock => MCP005:error
node s.js npipe:////./pipe/docker_engine => MCP005:error
node s.js ~/Documents => MCP005:info
node s.js /Users/alice/Desktop => MCP005:info
node s.js C:\Users\alice\Downloads\ => MCP005:info
sh -c 'node s.js /' => MCP005:error MCP006:warn
npx -y @modelcontextprotocol/server-filesystem@2026.8.31 /Users/alice/work / => MCP005:error
uv run mcp-fs ~/ => MCP005:error
docker run -v /:/host img@sha256:@HEX64@ => MCP005:error
docker run -v/:/host img@sha256:@HEX64@ => MCP005:error
docker run -v /:/host:ro img@sha256:@HEX64@ => MCP005:error
docker run --volume=/:/host img@sha256:@HEX64@ => MCP005:error
docker run --mount type=bind,source=/,target=/host img@sha256:@HEX64@ => MCP005:error
docker run --mount=type=bind,src=$HOME,dst=/h,readonly img@sha256:@HEX64@ => MCP005:error
docker run -itv /:/host img@sha256:@HEX64@ => MCP005:error
docker run -v ~:/home/me img@sha256:@HEX64@ => MCP005:error
docker run -v $HOME:/h img@sha256:@HEX64@ => MCP005:error
docker run -v ${HOME}:/h img@sha256:@HEX64@ => MCP005:error
docker run -v C:\Users\alice:/h img@sha256:@HEX64@ => MCP005:error
docker run -v C:\:/h img@sha256:@HEX64@ => MCP005:error
docker run -v /c:/h img@sha256:@HEX64@ => MCP005:error
docker run -v /var/run/docker.sock:/var/run/docker.sock img@sha256:@HEX64@ => MCP005:error
docker run -v //var/run/docker.sock:/var/run/docker.sock img@sha256:@HEX64@ => MCP005:error
docker run -v /var/run/docker.sock:/var/run/docker.sock:ro img@sha256:@HEX64@ => MCP005:error
docker run -v /run/user/1000/podman/podman.sock:/s img@sha256:@HEX64@ => MCP005:error
docker run -v ~/.ssh:/root/.ssh img@sha256:@HEX64@ => MCP005:error
docker run -v ~/.ssh:/root/.ssh:ro img@sha256:@HEX64@ => MCP005:warn
docker run -v ${HOME}/.aws:/root/.aws:ro,z img@sha256:@HEX64@ => MCP005:warn
docker run --mount type=bind,source=/etc,target=/e,readonly img@sha256:@HEX64@ => MCP005:warn
docker run -v /etc:/e img@sha256:@HEX64@ => MCP005:error
docker run -v /Users/alice/Documents:/d img@sha256:@HEX64@ => MCP005:info
podman run -v /home/alice:/h:Z img@sha256:@HEX64@ => MCP005:error
# nothing
docker run -v data:/data -v keys:/app/keys img@sha256:@HEX64@ =>
docker run -v /data img@sha256:@HEX64@ =>
docker run -v ./project:/project:ro img@sha256:@HEX64@ =>
docker run -v ${PWD}:/w img@sha256:@HEX64@ =>
docker run -v ${workspaceFolder}:/w img@sha256:@HEX64@ =>
docker run -v /Users/alice/work/project:/w img@sha256:@HEX64@ =>
docker run -v C:\Users\alice\work:/w img@sha256:@HEX64@ =>
docker run -v /etc/localtime:/etc/localtime:ro img@sha256:@HEX64@ =>
docker run -v /Users/alice/.docker/mcp:/mcp img@sha256:@HEX64@ =>
docker run -i img@sha256:@HEX64@ / =>
docker run -i img@sha256:@HEX64@ /projects ~ =>
docker run -w / img@sha256:@HEX64@ =>
node /root/server/index.js =>
node /home/alice/project/index.js =>
node /Users/alice/Documents/project/dist/index.js =>
node s.js /Users/YOUR_USERNAME/apps/MCP =>
node s.js /path/to/allowed/files =>
node s.js ${workspaceFolder} =>
node s.js ./ =>
node s.js . =>
node s.js /workspace =>
node s.js --config /etc/app/config.json =>
node s.js --db /var/lib/app/data.db =>
node s.js --base-path / =>
node s.js --path /mcp =>
node s.js --separator / =>
node s.js ~/.ssh/known_hosts =>
node s.js ~/.config/app =>
node s.js /dev/ttyUSB0 =>
node s.js docker.sock =>
ssh -i ~/.ssh/id_ed25519 user@host server =>
~/.ai-dev-kit/.venv/bin/python ~/.ai-dev-kit/repo/run_server.py =>
bash -c 'cd ~ && node s.js' => MCP006:warn
cmd /c node s.js =>
env -C / node s.js =>
`

func TestPrivilege(t *testing.T) { runTable(t, privilegeCases) }

const privilegeCases = `
sudo node s.js => MCP006:error
sudo -u svc -E node s.js => MCP006:error
sudo -n npx -y pkg@1.0.0 => MCP006:error
doas node s.js => MCP006:error
pkexec node s.js => MCP006:error
runas /user:admin node => MCP006:error
env A=b sudo node s.js => MCP006:error
sh -c 'sudo node s.js' => MCP006:error
su -c 'node s.js' root => MCP006:error
docker run --privileged img@sha256:@HEX64@ => MCP006:error
docker run --privileged=true img@sha256:@HEX64@ => MCP006:error
docker run --privileged=false img@sha256:@HEX64@ =>
docker run --cap-add=ALL img@sha256:@HEX64@ => MCP006:error
docker run --cap-add SYS_ADMIN img@sha256:@HEX64@ => MCP006:error
docker run --cap-add CAP_SYS_PTRACE img@sha256:@HEX64@ => MCP006:error
docker run --cap-add NET_BIND_SERVICE img@sha256:@HEX64@ =>
docker run --cap-drop ALL img@sha256:@HEX64@ =>
docker run --network host img@sha256:@HEX64@ => MCP006:warn
docker run --net=host img@sha256:@HEX64@ => MCP006:warn
docker run --network=bridge img@sha256:@HEX64@ =>
docker run --network book_default img@sha256:@HEX64@ =>
docker run --pid=host img@sha256:@HEX64@ => MCP006:warn
docker run --ipc host img@sha256:@HEX64@ => MCP006:warn
docker run --security-opt seccomp=unconfined img@sha256:@HEX64@ => MCP006:warn
docker run --security-opt=apparmor:unconfined img@sha256:@HEX64@ => MCP006:warn
docker run --security-opt no-new-privileges img@sha256:@HEX64@ =>
docker run --security-opt no-new-privileges:true img@sha256:@HEX64@ =>
docker run -u root img@sha256:@HEX64@ => MCP006:warn
docker run --user 0:0 img@sha256:@HEX64@ => MCP006:warn
docker run -u 1000:1000 img@sha256:@HEX64@ =>
docker run --read-only --cap-drop=ALL --init -i --rm img@sha256:@HEX64@ =>
sh -c 'node s.js' => MCP006:warn
bash -lc 'node s.js' => MCP006:warn
/bin/zsh -lc 'python3 a.py 2>/dev/null || python3 b.py' => MCP006:warn
fish -c 'node s.js' => MCP006:warn
bash --login -c 'node s.js' => MCP006:warn
busybox sh -c 'node s.js' => MCP006:warn
docker exec -i box sh -c 'node s.js' => MCP006:warn
wsl bash -c 'node s.js' => MCP006:warn
npx -c 'pkg --stdio' => MCP006:warn
npx --call='pkg --stdio' => MCP006:warn
npm exec -c 'pkg --stdio' => MCP006:warn
npx -y -p pkg@1.0.0 -c 'pkg --stdio' => MCP006:warn
node -e 'require("./s")' => MCP006:warn
node --eval='require("./s")' => MCP006:warn
node -r dotenv/config -e 'require("./s")' => MCP006:warn
python -c 'import s' => MCP006:warn
python3 -u -c 'import s' => MCP006:warn
python3.12 -Ic 'import s' => MCP006:warn
'uv run python' -c 'import s' => MCP006:warn
uv run python -c 'import s' => MCP006:warn
bun -e 'x' => MCP006:warn
deno eval 'x' => MCP006:warn
ruby -e 'x' => MCP006:warn
perl -e 'x' => MCP006:warn
php -r 'x' => MCP006:warn
powershell -ExecutionPolicy Bypass -File s.ps1 => MCP006:warn
powershell.exe -NoProfile -ep bypass -File s.ps1 => MCP006:warn
powershell -ExecutionPolicy RemoteSigned -File s.ps1 =>
deno run -A ./main.ts => MCP006:warn
deno run --allow-all ./main.ts => MCP006:warn
deno run --allow-net --allow-read=./data ./main.ts =>
ENV LD_PRELOAD=/tmp/x.so => MCP006:warn
ENV DYLD_INSERT_LIBRARIES=/tmp/x.dylib => MCP006:warn
ENV NODE_OPTIONS=--require ./hook.js => MCP006:warn
ENV NODE_OPTIONS=-r ./hook.js => MCP006:warn
ENV NODE_OPTIONS=--import=./hook.mjs => MCP006:warn
ENV NODE_OPTIONS=--max-old-space-size=4096 =>
ENV LD_LIBRARY_PATH=/opt/lib =>
env LD_PRELOAD=/tmp/x.so node s.js => MCP006:warn
docker run -e NODE_OPTIONS=--require=/x.js img@sha256:@HEX64@ => MCP006:warn
claude --dangerously-skip-permissions mcp serve => MCP006:warn
node s.js --dangerously-allow-all => MCP006:warn
gemini --yolo => MCP006:warn
node browser.js --no-sandbox => MCP006:warn
node browser.js --no-sandbox=false =>
ENV DANGEROUSLY_OMIT_AUTH=true => MCP006:warn
ENV DANGEROUSLY_OMIT_AUTH=false =>
{"command":"x","autoApprove":["*"]} => MCP006:warn
{"command":"x","autoApprove":["read","*"]} => MCP006:warn
{"command":"x","alwaysAllow":["*"]} => MCP006:warn
{"command":"x","autoApprove":"*"} => MCP006:warn
{"command":"x","autoApprove":true} => MCP006:warn
{"command":"x","trust":true} => MCP006:warn
{"command":"x","trust":false} =>
{"command":"x","autoApprove":[]} =>
{"command":"x","autoApprove":["read_file","list"]} =>
{"command":"x","alwaysAllow":["get_x"]} =>
{"command":"x","tools":["*"]} =>
{"command":"x","disabledTools":["*"]} =>
{"command":"x","disabled":true,"trust":true} => MCP006:warn
bash script.sh =>
bash ./script.sh -c config =>
sh -x start.sh =>
bash -l start.sh =>
python -m server -c config.yaml =>
python server.py -c config.yaml =>
node server.js -e production =>
node --enable-source-maps dist/index.js =>
node --env-file .env dist/index.js =>
cmd /c npx -y pkg@1.0.0 =>
cmd /c node s.js =>
go run ./cmd/x -c conf =>
java -jar s.jar -e x =>
npx -y pkg@1.0.0 -c config.json =>
sudoku-server --level 3 =>
`
