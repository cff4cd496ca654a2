package lint_test

import "testing"

// TestWild has configurations as public repositories show them, in every dialect, labelled by the
// text of the research before the lint saw them.
func TestWild(t *testing.T) { runTable(t, wildCases) }

const wildCases = `
# file systems
npx -y @modelcontextprotocol/server-filesystem /Users/maria/code/shop => MCP003:warn
npx -y @modelcontextprotocol/server-filesystem@2026.8.31 /Users/maria/code/shop /Users/maria/code/docs =>
npx -y @modelcontextprotocol/server-filesystem@2026.8.31 ${workspaceFolder} =>
npx -y @modelcontextprotocol/server-filesystem@2026.8.31 C:\Users\maria\source\repos\shop =>
npx -y @modelcontextprotocol/server-filesystem@2026.8.31 /Users/maria/Desktop /Users/maria/Downloads => MCP005:info
npx -y @modelcontextprotocol/server-filesystem@2026.8.31 C:\Users\maria => MCP005:error
npx -y @modelcontextprotocol/server-filesystem@2026.8.31 %USERPROFILE% => MCP005:error
npx -y @modelcontextprotocol/server-filesystem@2026.8.31 D:\ => MCP005:error
npx -y @modelcontextprotocol/server-filesystem@2026.8.31 /mnt/c/Users/maria/project =>
npx -y @modelcontextprotocol/server-filesystem@2026.8.31 . =>
npx -y @modelcontextprotocol/server-filesystem@2026.8.31 ../other =>
docker run -i --rm --mount type=bind,src=/srv/projects,dst=/projects,ro mcp/filesystem /projects => MCP003:warn
docker run -i --rm -v ${workspaceFolder}:/workspace:ro mcp/filesystem:1.0.2 /workspace => MCP003:info
docker run -i --rm -v claude-memory:/app/dist mcp/memory => MCP003:warn
docker run -l mcp.client=cursor --rm -i alpine/socat STDIO TCP:host.docker.internal:8811 => MCP003:warn
docker mcp gateway run =>
docker compose run --rm mcp =>
docker exec -i my-container node /app/index.js =>
# Windows and WSL
cmd /c npx -y @upstash/context7-mcp@1.0.14 =>
cmd /c npx -y @upstash/context7-mcp@latest => MCP003:warn
cmd /c node C:\tools\server\build\index.js =>
cmd.exe /c uvx mcp-server-time==2025.8.4 =>
wsl npx -y @modelcontextprotocol/server-memory@2026.1.26 =>
wsl.exe -d Ubuntu -- uvx mcp-server-fetch => MCP003:warn
wsl bash -c '/home/maria/.local/bin/uv --directory /home/maria/srv run server.py' => MCP006:warn
powershell -File C:\scripts\start-mcp.ps1 =>
powershell -ExecutionPolicy Bypass -File C:\scripts\start-mcp.ps1 => MCP006:warn
C:\Program Files\nodejs\npx.cmd -y pkg@1.2.3 =>
C:\Python312\python.exe C:\srv\main.py =>
py -3.12 -m my_server =>
# Python
uv --directory /srv/weather run weather.py =>
uv run --directory ${workspaceFolder}/server server.py =>
uv --directory C:\Users\maria\mcp run main.py =>
uv run --with mcp[cli] mcp run server.py => MCP003:warn
uv run --with mcp[cli]==1.12.2 mcp run server.py =>
uv tool run mcp-server-sqlite --db-path ~/test.db => MCP003:warn MCP004:info
uvx --from git+https://github.com/oraios/serena serena start-mcp-server --context ide-assistant => MCP003:warn
uvx --from git+https://github.com/oraios/serena@@HEX40@ serena start-mcp-server =>
uvx --python 3.12 mcp-server-git@2026.1.14 --repository /srv/repo =>
uvx mcp-atlassian => MCP003:warn
python -m mcp_server_fetch =>
python3 -m venv_server.main --config config.yaml =>
/srv/app/.venv/bin/python -m app.server =>
poetry run python -m server =>
conda run -n mcp --no-capture-output python server.py =>
pipx run mcp-server-time => MCP003:warn
# other run times
java -jar /opt/mcp/server-1.4.2.jar --spring.profiles.active=stdio =>
java -Dspring.ai.mcp.server.stdio=true -jar target/server.jar =>
dotnet run --project ./src/Server/Server.csproj =>
dotnet /srv/app/Server.dll =>
dnx Some.Server@1.2.3 --yes =>
dnx Some.Server --yes => MCP003:warn
go run ./cmd/server =>
go run github.com/o/r@latest => MCP003:warn
cargo run --release --manifest-path /srv/x/Cargo.toml =>
deno run --allow-net --allow-read=./data server.ts =>
deno run -A server.ts => MCP006:warn
bun run /srv/app/index.ts =>
node --env-file=.env build/index.js =>
node /Users/maria/mcp/build/index.js --port 3000 =>
ruby bin/server =>
php artisan mcp:start main =>
ssh -i ~/.ssh/id_ed25519 deploy@db.tld /usr/local/bin/mcp-server =>
ssh host 'cd /srv && npx -y pkg' => MCP003:warn
npx --workspace packages/mcp start-mcp => MCP003:warn
npm --workspace packages/mcp run start =>
pnpm --dir /srv/mcp start =>
# bridges and launchers
npx -y mcp-remote@0.1.29 https://mcp.linear.app/sse => MCP008:info
npx -y mcp-remote@0.1.29 https://mcp.sentry.dev/mcp =>
npx -y mcp-remote@0.1.29 http://localhost:3845/mcp =>
npx -y mcp-remote@0.1.29 http://10.0.0.4:3000/mcp --allow-http => MCP007:error
npx -y mcp-remote@0.1.29 https://mcp.vendor.tld/mcp --header Authorization:${AUTH_HEADER} => MCP002:info
npx -y mcp-remote@0.1.29 https://mcp.vendor.tld/mcp --transport http-only =>
npx -y supergateway@3.4.0 --sse https://mcp.vendor.tld/sse => MCP008:info
npx -y @smithery/cli@1.2.3 run @x/y --key abc123def456ghi789jkl => MCP002:error MCP003:warn
npx -y figma-developer-mcp@0.6.5 --figma-api-key=YOUR-KEY --stdio => MCP002:info
npx -y @supabase/mcp-server-supabase@0.5.5 --read-only --project-ref=<project-ref> =>
npx -y @supabase/mcp-server-supabase@0.5.5 --access-token <personal-access-token> => MCP002:info
npx -y @stripe/mcp@0.2.4 --tools=all --api-key=sk_test_... => MCP002:info
npx -y @playwright/mcp@0.0.40 --headless --isolated --viewport-size 1280,720 =>
npx -y @playwright/mcp@0.0.40 --no-sandbox => MCP006:warn
npx -y @playwright/mcp@latest --browser chrome => MCP003:warn
npx -y @modelcontextprotocol/server-puppeteer@2025.5.12 => MCP004:info
npx -y @sentry/mcp-server@0.17.1 --access-token=${SENTRY_TOKEN} => MCP002:info
npx -y @modelcontextprotocol/server-postgres@0.6.2 postgresql://localhost/mydb => MCP004:info
npx -y @modelcontextprotocol/server-postgres@0.6.2 postgresql://user:password@localhost:5432/mydb => MCP002:info MCP004:info
npx -y @bytebase/dbhub@0.11.5 --transport stdio --dsn postgres://app:${DB_PASSWORD}@db.tld/app => MCP002:info
npx -y mongodb-mcp-server@1.1.0 --connectionString mongodb+srv://<user>:<password>@cluster0.mongodb.net/ => MCP002:info
npx -y chrome-devtools-mcp@0.9.0 --channel=canary --isolated=true =>
# variables
ENV GITHUB_PERSONAL_ACCESS_TOKEN=<YOUR_TOKEN> =>
ENV GITHUB_PERSONAL_ACCESS_TOKEN=${input:github_token} =>
ENV GITHUB_PERSONAL_ACCESS_TOKEN=@GITHUB@ => MCP001:error
ENV BRAVE_API_KEY=YOUR_API_KEY_HERE =>
ENV TAVILY_API_KEY=tvly-YOUR_API_KEY =>
ENV EXA_API_KEY=your-exa-api-key =>
ENV FIRECRAWL_API_KEY=fc-YOUR-KEY =>
ENV FIRECRAWL_RETRY_MAX_ATTEMPTS=5 =>
ENV CONTEXT7_API_KEY=ctx7sk-... =>
ENV SLACK_BOT_TOKEN=xoxb-your-bot-token =>
ENV SLACK_TEAM_ID=T01234567 =>
ENV SLACK_BOT_TOKEN=@SLACK@ => MCP001:error
ENV ATLASSIAN_API_TOKEN=your_api_token =>
ENV JIRA_URL=https://your-company.atlassian.net =>
ENV CONFLUENCE_USERNAME=maria@company.tld =>
ENV N8N_API_URL=http://localhost:5678 =>
ENV N8N_API_KEY=@JWT@ => MCP001:error
ENV N8N_API_URL=http://n8n.company.tld:5678/api/v1 => MCP007:warn
ENV SUPABASE_URL=https://abcdefghijklmnopqrst.supabase.co =>
ENV SUPABASE_ANON_KEY=@ANON@ =>
ENV SUPABASE_SERVICE_ROLE_KEY=@JWT@ => MCP001:error
ENV OPENAPI_MCP_HEADERS={"Authorization": "Bearer ntn_****", "Notion-Version": "2022-06-28" } =>
ENV OPENAPI_MCP_HEADERS={"Authorization":"Bearer @NOTION@","Notion-Version":"2022-06-28"} => MCP001:error
ENV NOTION_TOKEN=ntn_**** =>
ENV FIGMA_API_KEY=figd_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx =>
ENV SENTRY_AUTH_TOKEN=sntrys_... =>
ENV STRIPE_SECRET_KEY=@STRIPE@ => MCP001:error
ENV DATABASE_URL=postgresql://USER:PASSWORD@HOST:PORT/DB =>
ENV DATABASE_URL=postgres://postgres:postgres@localhost:5432/app =>
ENV DATABASE_URL=mysql://root:Tr0ub4dor@10.0.0.7/app => MCP001:error
ENV DATABASE_URI=postgresql://username:password@localhost:5432/dbname =>
ENV REDIS_URL=redis://localhost:6379/0 =>
ENV MONGODB_URI=mongodb+srv://<username>:<password>@cluster.mongodb.net =>
ENV MEMORY_FILE_PATH=/Users/maria/memory.json =>
ENV PYTHONPATH=/srv/app/src =>
ENV PATH=/usr/local/bin:/usr/bin:/bin =>
ENV NODE_OPTIONS=--max-old-space-size=4096 =>
ENV GOOGLE_APPLICATION_CREDENTIALS=/Users/maria/keys/sa.json =>
ENV GDRIVE_CREDENTIALS_PATH=C:\keys\credentials.json =>
ENV AWS_PROFILE=default =>
ENV AWS_REGION=eu-central-1 =>
ENV DEFAULT_MINIMUM_TOKENS=6000 =>
ENV OLLAMA_HOST=http://127.0.0.1:11434 =>
ENV LINEAR_API_KEY=lin_api_... =>
ENV OPENAI_API_KEY=sk-... =>
ENV ANTHROPIC_API_KEY=@ANTHROPIC@ => MCP001:error
ENV LOG_FILE=~/.cache/mcp/log.txt =>
ENV FASTMCP_LOG_LEVEL=ERROR =>
ENV GITHUB_TOOLSETS=repos,issues,pull_requests =>
ENV TWILIO_ACCOUNT_SID=AC00000000000000000000000000000000 =>
ENV KEY_VAULT_NAME=kv-prod-weu-001 =>
ENV AZURE_CLIENT_ID=6f0f9c62-3b1f-4b57-9f0a-2a8e7c1d5e33 =>
ENV TOKEN_BUDGET=100000 =>
ENV ENABLE_TOKEN_CACHE=true =>
# headers and dialects
HEADER Authorization: Bearer ${GITHUB_TOKEN} =>
HEADER Authorization: Bearer ${input:pat} =>
HEADER Authorization: Bearer YOUR_GITHUB_PAT =>
HEADER Authorization: Bearer @FINE@ => MCP001:error
HEADER CONTEXT7_API_KEY: YOUR_API_KEY =>
HEADER X-Api-Key: {{api_key}} =>
HEADER X-MCP-Toolsets: repos,issues =>
HEADER Accept: application/json, text/event-stream =>
URL https://api.githubcopilot.com/mcp/ =>
URL https://mcp.notion.com/sse => MCP008:info
URL http://localhost:8931/sse => MCP008:info
URL https://mcp.exa.ai/mcp?exaApiKey=YOUR_KEY => MCP002:info
URL https://mcp.tavily.com/mcp/?tavilyApiKey=<your-api-key> => MCP002:info
{"type":"http","url":"https://mcp.stripe.com"} =>
{"type":"sse","url":"https://mcp.asana.com/sse"} => MCP008:info
{"serverUrl":"https://mcp.vendor.tld/mcp","headers":{"Authorization":"Bearer ${env:TOKEN}"}} =>
{"httpUrl":"http://internal.tld/mcp","timeout":5000,"trust":false} => MCP007:error
{"url":"https://mcp.vendor.tld/mcp","bearer_token_env_var":"VENDOR_TOKEN","env_http_headers":{"X-Key":"VENDOR_KEY"}} =>
{"command":"npx","args":["-y","pkg@1.2.3"],"disabled":false,"autoApprove":["read","list"],"alwaysAllow":["read"]} =>
{"command":"npx","args":["-y","pkg@1.2.3"],"alwaysAllow":["*"]} => MCP006:warn
{"source":"custom","command":"node","args":["server.js"],"env":{}} =>
{"command":{"path":"uvx","args":["mcp-server-fetch"],"env":{}},"settings":{}} => MCP003:warn
{"type":"local","command":["npx","-y","pkg@1.2.3"],"environment":{"API_KEY":"{env:API_KEY}"},"enabled":true} =>
{"command":"uv","args":["run","server.py"],"cwd":"${workspaceFolder}","envFile":"${workspaceFolder}/.env"} =>
{"url":"https://mcp.vendor.tld/mcp","auth":{"CLIENT_ID":"6f0f9c62","CLIENT_SECRET":"${env:CLIENT_SECRET}"}} =>
{"command":"node","args":["server.js"],"startup_timeout_sec":20,"tool_timeout_sec":60,"env_vars":["API_TOKEN"]} =>
# private keys
ENV SIGNING_PEM=-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY----- => MCP001:error
ENV SIGNING_PEM=-----BEGIN EC PRIVATE KEY-----MHcCAQEE-----END EC PRIVATE KEY----- => MCP001:error
ENV SIGNING_PEM=@PEM1@ => MCP001:error
ENV SIGNING_PEM=-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY----- =>
ENV SIGNING_PEM=-----BEGIN PRIVATE KEY-----\\n...\\n-----END PRIVATE KEY----- =>
ENV SIGNING_PEM=-----BEGIN PRIVATE KEY----------END PRIVATE KEY----- =>
ENV SIGNING_PEM=-----BEGIN RSA PRIVATE KEY-----\nMIIEvQ...\n-----END RSA PRIVATE KEY----- =>
ENV SIGNING_PEM=-----BEGIN PRIVATE KEY-----\nYOUR_PRIVATE_KEY\n-----END PRIVATE KEY----- =>
ENV SIGNING_PEM=-----BEGIN PRIVATE KEY-----\n${KEY_BODY}\n-----END PRIVATE KEY----- =>
ENV SIGNING_PEM=-----BEGIN PUBLIC KEY-----\nMIIBIjANBg\n-----END PUBLIC KEY----- =>
ENV PRIVATE_KEY=-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----\n =>
`
