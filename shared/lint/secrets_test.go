package lint_test

import "testing"

func TestLiteralSecret(t *testing.T) { runTable(t, literalSecretCases) }

const literalSecretCases = `
# provider forms, whatever the name
ENV GITHUB_TOKEN=@GITHUB@ => MCP001:error
ENV X=@GITHUB@ => MCP001:error
ENV X=@FINE@ => MCP001:error
ENV SOMETHING=@OPENAI@ => MCP001:error
ENV ANTHROPIC_API_KEY=@ANTHROPIC@ => MCP001:error
ENV AWS_ACCESS_KEY_ID=@AWS@ => MCP001:error
ENV GOOGLE_MAPS=@GOOGLE@ => MCP001:error
ENV SLACK_BOT_TOKEN=@SLACK@ => MCP001:error
ENV STRIPE=@STRIPE@ => MCP001:error
ENV NOTION_TOKEN=@NOTION@ => MCP001:error
ENV JWT=@JWT@ => MCP001:error
ENV OPENAPI_MCP_HEADERS={"Authorization": "Bearer @NOTION@", "Notion-Version": "2022-06-28"} => MCP001:error
ENV OPENAPI_MCP_HEADERS={"Authorization": "Bearer @RANDOM@"} => MCP001:error
ENV OPENAPI_MCP_HEADERS={"Authorization": "Bearer ntn_****", "Notion-Version": "2022-06-28"} =>
ENV PRIVATE_KEY=@PEM@ => MCP001:error
ENV CONFIG=@PEM@ => MCP001:error
# references must not hide a literal, nor be one
ENV GITHUB_TOKEN=@GITHUB@ ${GITHUB_TOKEN} => MCP001:error
ENV GITHUB_TOKEN=${GITHUB_TOKEN:-@GITHUB@} => MCP001:error
ENV DB_PASSWORD=${DB_PASSWORD:-hunter2hunter} => MCP001:error
ENV DB_PASSWORD=${A:-${B:-hunter2hunter}} => MCP001:error
ENV GITHUB_TOKEN=${GITHUB_TOKEN:-} =>
ENV GITHUB_TOKEN=${GITHUB_TOKEN:-your-token} =>
ENV GITHUB_TOKEN=${GITHUB_TOKEN:?set it first} =>
ENV GITHUB_TOKEN=${env:GITHUB_TOKEN} =>
ENV GITHUB_TOKEN=${input:github-token} =>
ENV GITHUB_TOKEN=$GITHUB_TOKEN =>
ENV GITHUB_TOKEN=%GITHUB_TOKEN% =>
ENV GITHUB_TOKEN=$env:GITHUB_TOKEN =>
ENV GITHUB_TOKEN={{github_token}} =>
ENV GITHUB_TOKEN={{ secrets.GITHUB_TOKEN }} =>
ENV GITHUB_TOKEN=${{ secrets.GITHUB_TOKEN }} =>
ENV GITHUB_TOKEN=$(gh auth token) =>
ENV GITHUB_TOKEN=op://Private/GitHub/token =>
ENV GITHUB_TOKEN=env:GITHUB_TOKEN =>
ENV GITHUB_TOKEN=__GITHUB_TOKEN__ =>
ENV GITHUB_TOKEN={GITHUB_TOKEN} =>
ENV GITHUB_TOKEN=<GITHUB_TOKEN> =>
ENV GITHUB_TOKEN=<your personal access token> =>
ENV GITHUB_TOKEN=[YOUR_TOKEN] =>
ENV TOKEN=prefix-${A}-${B} =>
ENV PASSWORD=pa$word9xyz => MCP001:error
# placeholders
ENV API_KEY=YOUR_API_KEY =>
ENV API_KEY=your-api-key-here =>
ENV API_KEY=your_key =>
ENV API_KEY=changeme =>
ENV API_KEY=CHANGE_ME =>
ENV API_KEY=replace-with-your-key =>
ENV API_KEY=example-key =>
ENV API_KEY=dummy =>
ENV API_KEY=xxxxxxxxxxxx =>
ENV API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx =>
ENV API_KEY=sk-... =>
ENV API_KEY=**** =>
ENV API_KEY=ghp_your_token_here =>
ENV API_KEY=sk-your-openai-api-key-goes-here =>
ENV API_KEY=MY_API_KEY =>
ENV API_KEY=insert-key =>
ENV API_KEY=TODO =>
ENV API_KEY=aaaaaaaaaaaaaaaaaaaa =>
ENV API_KEY=none =>
ENV API_KEY= =>
ENV API_KEY=not-needed =>
ENV OPENAI_API_KEY=ollama =>
ENV OPENAI_API_KEY=lm-studio =>
ENV OPENAI_API_KEY=EMPTY =>
ENV API_KEY=my-secret-key =>
ENV API_TOKEN=your_monday_api_token =>
ENV NEO4J_PASSWORD=<your password> =>
ENV POSTGRES_PASSWORD=your-password =>
ENV API_KEY=enter_your_key =>
ENV AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE =>
ENV AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY =>
# named secrets
ENV API_KEY=@RANDOM@ => MCP001:error
ENV apiKey=@RANDOM@ => MCP001:error
ENV MyServiceAPIKey=@RANDOM@ => MCP001:error
ENV OBSIDIAN_API_KEY=@HEX64@ => MCP001:error
ENV API_KEY_2=@RANDOM@ => MCP001:error
ENV API_KEYS=@RANDOM@ => MCP001:error
ENV API_KEY=k4Xz9 => MCP001:warn
ENV DB_PASSWORD=tr0ub4dor => MCP001:error
ENV DB_PASS=tr0ub4dor => MCP001:error
ENV PGPASSWORD=tr0ub4dor => MCP001:error
ENV MYSQL_PWD=tr0ub4dor => MCP001:error
ENV DB_PASSWORD=ras => MCP001:warn
ENV POSTGRES_PASSWORD=postgres => MCP001:error
ENV JIRA_PAT=@RANDOM@ => MCP001:error
ENV SESSION_COOKIE_SECRET=@RANDOM@ => MCP001:error
ENV WALLET_SEED_PHRASE=@SEED@ => MCP001:error
ENV MNEMONIC=@SEED@ => MCP001:error
ENV WALLET_SEED=@HEX64@ => MCP001:error
ENV PRIVATE_KEY=0x@HEX64@ => MCP001:error
ENV BASIC_AUTH=admin:s3cr3tpw => MCP001:error
ENV DB_PASSWORD=123456 => MCP001:error
ENV API_KEY=12345 => MCP001:warn
ENV API_KEY={env:API_KEY} =>
ENV API_KEY=@API_KEY@ =>
ENV API_KEY=%%API_KEY%% =>
ENV API_KEY=#{API_KEY} =>
ENV API_KEY=${user_config.api_key} =>
ENV N8N_API_KEY=n8n_api_key =>
ENV API_KEY=put_your_token_here =>
ENV API_KEY=YourApiKeyToken =>
HEADER Authorization: Bearer {env:API_TOKEN} =>
# names that only look it
ENV MAX_TOKENS=4096 =>
ENV TOKEN_FILE=/run/secrets/token =>
ENV TOKEN_PATH=/home/me/token =>
ENV API_KEY_FILE=./key.txt =>
ENV TOKEN_URL=https://auth.vendor.tld/oauth/token =>
ENV TOKEN_LIMIT=100000 =>
ENV TOKEN_TYPE=bearer =>
ENV KEY_ID=abc123def456ghi789 =>
ENV KEY_NAME=production-signing =>
ENV PUBLIC_KEY=@RANDOM@ =>
ENV TOKENIZERS_PARALLELISM=false =>
ENV KEYBOARD_LAYOUT=de =>
ENV AUTH_TYPE=oauth =>
ENV SORT_KEY=created_at =>
ENV FIGMA_FILE_KEY=@RANDOM@ =>
ENV JIRA_PROJECT_KEY=PROJ =>
ENV ENCRYPT_KEYS=true =>
ENV USE_API_KEY=true =>
ENV RANDOM_SEED=42 =>
ENV SEED=1234 =>
ENV GOOGLE_APPLICATION_CREDENTIALS=/Users/me/keys/sa.json =>
ENV GOOGLE_APPLICATION_CREDENTIALS=C:\keys\sa.json =>
ENV GOOGLE_APPLICATION_CREDENTIALS=sa.json =>
ENV SSH_PRIVATE_KEY=~/work/id_ed25519 =>
ENV PWD=/home/me/project =>
ENV SUPABASE_ANON_KEY=@ANON@ =>
ENV LOG_LEVEL=debug =>
ENV AWS_PROFILE=your-named-profile =>
ENV DATA_DIR=E:/claudeStudy/workspaces/my-project/start-kit-nextjs/shrimp_data =>
ENV GIT_COMMIT=@HEX40@ =>
ENV IMAGE=sha256:@HEX64@ =>
ENV TENANT=7f3b9c2e-4d1a-4b8e-9f6c-2a5d8e1b3c7f =>
ENV GOOGLE_CLIENT_ID=849302756184-q7zt2xw9lk4vn8rb6yh3mc1jsd5fg0pa.apps.googleusercontent.com =>
# connection strings
ENV DATABASE_URL=postgres://app:S3cr3tPw9@db.vendor.tld:5432/app => MCP001:error
ENV DATABASE_URL=postgres://app:S3cr3tPw9@localhost:5432/app => MCP001:error
ENV DATABASE_URL=mongodb+srv://app:S3cr3tPw9@cluster0.vendor.mongodb.net/app => MCP001:error
ENV REDIS_URL=redis://:S3cr3tPw9@cache.vendor.tld:6379 => MCP001:error
ENV CONN=Server=tcp:db.vendor.tld,1433;User Id=app;Password=S3cr3tPw9; => MCP001:error
ENV DATABASE_URL=postgres://user:password@localhost:5432/app =>
ENV DATABASE_URL=postgres://postgres:postgres@localhost:5432/app =>
ENV DATABASE_URL=postgres://localhost:5432/app =>
ENV DATABASE_URL=postgres://app@db.vendor.tld/app =>
ENV DATABASE_URL=postgres://${USER}:${PASS}@db.vendor.tld/app =>
ENV DATABASE_URL=mysql://user:password@localhost:3306/dbname =>
ENV DATABASE_URL=mysql://<user>:<password>@<host>/db =>
ENV DATABASE_URL=postgres://app:your-password@db.vendor.tld/app =>
ENV DATABASE_URL=sqlite:///data/app.db =>
# URLs with keys
ENV RPC_URL=https://mainnet.infura.io/v3/@HEX32@ => MCP001:error
ENV RPC_URL=https://eth-mainnet.g.alchemy.com/v2/@OPAQUE@ => MCP001:error
ENV RPC_URL=https://eth-mainnet.g.alchemy.com/v2/${ALCHEMY_KEY} =>
ENV RPC_URL=https://eth-mainnet.g.alchemy.com/v2/YOUR_ALCHEMY_API_KEY_GOES_HERE_PLEASE =>
ENV HOOK=https://unknown.vendor.tld/hook/@OPAQUE@ => MCP001:warn
ENV API=https://api.vendor.tld/v1?api_key=@RANDOM@ => MCP001:error
ENV API=https://api.vendor.tld/v1?api_key=${KEY} =>
ENV API=https://api.vendor.tld/v1?page=2 =>
ENV NOTION_PAGE=https://www.notion.so/team/Roadmap-@HEX32@ =>
# headers
HEADER Authorization: Bearer @RANDOM@ => MCP001:error
HEADER Authorization: Bearer ${TOKEN} =>
HEADER Authorization: Bearer your_api_key =>
HEADER Authorization: Bearer <token> =>
HEADER Authorization: Bearer  =>
HEADER Authorization: ${AUTH} =>
HEADER Authorization: Basic YWRtaW46czNjcjN0cHc5 => MCP001:error
HEADER X-API-Key: @RANDOM@ => MCP001:error
HEADER X-Goog-Api-Key: @GOOGLE@ => MCP001:error
HEADER Cookie: session=@RANDOM@ => MCP001:error
HEADER X-Client: vscode =>
HEADER Content-Type: application/json =>
HEADER X-Request-Source: @OPAQUE@ => MCP001:warn
# other fields
{"url":"https://a.tld/mcp","http_headers":{"X-API-Key":"@RANDOM@"}} => MCP001:error
{"url":"https://a.tld/mcp","env_http_headers":{"Authorization":"AXON_AUTH_TOKEN_VALUE"}} =>
{"url":"https://a.tld/mcp","bearer_token_env_var":"GITHUB_PAT_TOKEN"} =>
{"command":"x","env_vars":["OPENAI_API_KEY","GITHUB_TOKEN"]} =>
{"url":"https://a.tld/mcp","auth":{"CLIENT_ID":"my-client","CLIENT_SECRET":"@RANDOM@"}} => MCP001:error
{"url":"https://a.tld/mcp","auth":{"CLIENT_ID":"my-client","CLIENT_SECRET":"${SECRET}"}} =>
{"url":"https://a.tld/mcp","auth":"oauth"} =>
{"type":"url","url":"https://a.tld/mcp","authorization_token":"@RANDOM@"} => MCP001:error
{"url":"https://a.tld/mcp","oauth":{"clientId":"abc","scopes":["read:token"]}} =>
{"command":"x","env":{"A_KEY":1,"B":true,"C":null}} =>
{"command":"x","env":{"PORT":8080,"API_KEY":1234567890123456789}} => MCP001:error
{"command":"x","environment":{"API_KEY":"@RANDOM@"}} => MCP001:error
{"command":"x","env":["API_KEY=@RANDOM@"]} => MCP001:error
{"command":"x","description":"Needs API_KEY. Connects to mysql://user:password@localhost/db"} =>
{"command":"x","disabled":true,"env":{"API_KEY":"@RANDOM@"}} => MCP001:error
{"command":"x","requestInit":{"headers":{"Authorization":"Bearer @RANDOM@"}}} => MCP001:error
`

func TestSecretInArgv(t *testing.T) { runTable(t, secretInArgvCases) }

const secretInArgvCases = `
node s.js --api-key @GITHUB@ => MCP002:error
node s.js --api-key=@RANDOM@ => MCP002:error
node s.js --api-key k4x => MCP002:error
node s.js --apiKey @RANDOM@ => MCP002:error
node s.js -apikey @RANDOM@ => MCP002:error
node s.js --token @RANDOM@ => MCP002:error
node s.js --password hunter2 => MCP002:error
node s.js --figma-api-key=@RANDOM@ => MCP002:error
node s.js @GITHUB@ => MCP002:error
node s.js prefix=@GITHUB@ => MCP002:error
node s.js API_KEY=@RANDOM@ => MCP002:error
node s.js --env API_KEY=@RANDOM@ => MCP002:error
node s.js --env=API_KEY=@RANDOM@ => MCP002:error
node s.js --header 'Authorization: Bearer @RANDOM@' => MCP002:error
node s.js --header Authorization:@RANDOM@ => MCP002:error
node s.js --header=X-API-Key:@RANDOM@ => MCP002:error
node s.js -H 'X-Api-Key: @RANDOM@' => MCP002:error
node s.js 'Authorization: Bearer @RANDOM@' => MCP002:error
env API_KEY=@RANDOM@ node s.js => MCP002:error
docker run -i -e API_KEY=@RANDOM@ img@sha256:@HEX64@ => MCP002:error
docker run -i -eAPI_KEY=@RANDOM@ img@sha256:@HEX64@ => MCP002:error
docker run -i --env=API_KEY=@RANDOM@ img@sha256:@HEX64@ => MCP002:error
docker run -i --env API_KEY=@RANDOM@ img@sha256:@HEX64@ => MCP002:error
docker run -i -e DATABASE_URL=postgres://app:S3cr3tPw9@db.vendor.tld/app img@sha256:@HEX64@ => MCP002:error
docker run -i -e KEY_PASSWORD=ras img@sha256:@HEX64@ => MCP002:error
sh -c 'API_KEY=@RANDOM@ node s.js' => MCP002:error MCP006:warn
sh -c 'node s.js --token @RANDOM@' => MCP002:error MCP006:warn
cmd /c npx -y pkg@1.0.0 --key @RANDOM@ => MCP002:error
node s.js postgres://app:S3cr3tPw9@db.vendor.tld/app => MCP002:error
node s.js --dsn=postgres://app:S3cr3tPw9@db.vendor.tld/app => MCP002:error
node s.js https://api.vendor.tld/?api_key=@RANDOM@ => MCP002:error
node s.js -t @RANDOM@ => MCP002:error
node s.js -k @RANDOM@ => MCP002:error
# references: a note
node s.js --api-key ${API_KEY} => MCP002:info
node s.js --api-key=$API_KEY => MCP002:info
node s.js --key %MCP_KEY% => MCP002:info
node s.js --api-key YOUR_API_KEY => MCP002:info
node s.js --api-key <your-key> => MCP002:info
node s.js --token=${input:token} => MCP002:info
node s.js -t your_monday_api_token => MCP002:info
node s.js -t ${TOKEN} => MCP002:info
node s.js --header 'Authorization: Bearer ${TOKEN}' => MCP002:info
node s.js --header Authorization:${AUTH_HEADER} => MCP002:info
docker run -i -e API_KEY=${API_KEY} img@sha256:@HEX64@ => MCP002:info
node s.js postgres://${U}:${P}@db.vendor.tld/app => MCP002:info
node s.js postgresql://user:password@localhost:5432/db => MCP002:info
# nothing
docker run -i -e API_KEY img@sha256:@HEX64@ =>
docker run -i --env API_KEY --env OTHER img@sha256:@HEX64@ =>
docker run -i -v keys:/app/keys img@sha256:@HEX64@ =>
docker run -i -e LOG_MODE=strict img@sha256:@HEX64@ =>
node s.js -t stdio =>
node s.js --seed 12345 =>
node s.js --session-key main =>
node s.js --key name =>
node s.js --key k4Xz9q => MCP002:error
node s.js --api-key name => MCP002:error
node s.js --transport stdio =>
node s.js -k 5 =>
node s.js --key /etc/ssl/server.key =>
node s.js --key ./server.key =>
node s.js --key-file ./server.key =>
node s.js --token-file /run/secrets/t =>
node s.js --public-key abcdef =>
node s.js --max-tokens 4096 =>
node s.js --api-key '' =>
node s.js --password-stdin =>
node s.js --api-key --verbose =>
node s.js --profile yummy-dove-oD2ldW =>
node s.js postgresql://localhost/mydb =>
node s.js https://api.vendor.tld/v1 =>
node s.js --repo git@github.com:o/r.git =>
node s.js ssh://git@github.com/o/r =>
node s.js --metadata AWS_REGION=eu-west-1 =>
node s.js --user-agent 'Mozilla/5.0: x' =>
# endpoints
URL https://user:S3cr3tPw9@a.tld/mcp => MCP002:error
URL https://@RANDOM@@a.tld/mcp => MCP002:error
URL https://a.tld/mcp?api_key=@RANDOM@ => MCP002:error
URL https://a.tld/mcp?tavilyApiKey=@RANDOM@ => MCP002:error
URL https://a.tld/mcp?token=@GITHUB@ => MCP002:error
URL https://mcp.zapier.com/api/mcp/s/@OPAQUE@/mcp => MCP002:error
URL https://a.tld/mcp?api_key=${KEY} => MCP002:info
URL https://a.tld/mcp?tavilyApiKey=<your-api-key> => MCP002:info
URL https://a.tld/mcp?apiKey=YOUR_KEY => MCP002:info
URL https://a.tld/mcp?apiKey=%3Cyour-key%3E => MCP002:info
URL https://${TOKEN}@a.tld/mcp => MCP002:info
URL https://a.tld/mcp?api_key= =>
URL https://a.tld/mcp?project_ref=kcwcsipeagnvtnkgminj =>
URL https://a.tld/mcp?profile=commander =>
URL https://a.tld/s/@OPAQUE@/mcp =>
URL https://a.tld/mcp =>
`
