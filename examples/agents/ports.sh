#!/bin/sh
# An agent that uses every port of its launcher, and skips what is not bound. Needs socat, curl and jq.
# Without an argument it listens; socat starts it again with `serve` for each connection.
if [ "$1" != serve ]; then
  exec socat "TCP-LISTEN:$AGENT_PORT,bind=127.0.0.1,fork,reuseaddr" "EXEC:$0 serve"
fi

IFS=' ' read -r _ path _
length=0
while IFS=': ' read -r name value; do
  value=${value%?} # the carriage return
  case $name in
    [Cc]ontent-[Ll]ength) length=$value ;;
    [Xx]-[Mm]esh-[Rr]un-[Ii]d) run=$value ;;
    [Tt]raceparent) trace=$value ;;
    "$(printf '\r')") break ;;
  esac
done
if [ "$path" != /invoke ]; then
  printf 'HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n' # /healthz: 404 is healthy, too
  exit
fi
request=$(head -c "$length")
question=$(printf %s "$request" | jq -r '.input | if type == "string" then . else tojson end')
conversation=$(printf %s "$request" | jq -r --arg run "$run" '.conversationId // $run | @uri')
used='{}'

use() { # use NAME BASE PATH [BODY]: the answer is in $answer, its status in $used; an empty base is not bound
  answer=
  [ -n "$2" ] || return 0
  set -- "$1" "$2$3" ${4:+-d "$4"}
  name=$1 url=$2
  shift 2
  case $url in "${MODEL_GATEWAY_URL:-none}"*) [ -z "$MODEL_GATEWAY_TOKEN_FILE" ] || set -- "$@" -H "Authorization: Bearer $(cat "$MODEL_GATEWAY_TOKEN_FILE")" ;; esac
  answer=$(curl -sS -w '\n%{http_code}' -H 'Content-Type: application/json' -H "X-Mesh-Run-Id: $run" -H "traceparent: $trace" "$@" "$url")
  used=$(printf %s "$used" | jq -c --arg name "$name" --argjson status "$(printf %s "$answer" | tail -n 1)" '.[$name] = $status')
  answer=$(printf %s "$answer" | sed '$d') # 404 not_bound: that part is not in the agent's spec
}
json() { jq -cn --arg q "$question" --arg run "$run" --arg peer "$PEER" --arg model "$MODEL" --argjson used "$used" "$1"; }

memory=${MEMORY_PORT:+http://127.0.0.1:$MEMORY_PORT}
use context "$memory" "/memory/$conversation"
earlier=$(printf %s "${answer:-[]}" | jq 'if type == "array" then length else 0 end')
use append "$memory" "/memory/$conversation/append" "$(json '{question: $q}')"
use remember "$memory" /memory/agent/remember "$(json '{text: $q}')"
use recall "$memory" /memory/agent/search "$(json '{query: $q, limit: 3}')"
use knowledge "$memory" /knowledge/search "$(json '{query: $q, limit: 3}')"
use model "${MODEL:+$MODEL_GATEWAY_URL}" /v1/chat/completions "$(json '{model: $model, messages: [{role: "user", content: $q}]}')"
text=$(printf %s "${answer:-null}" | jq -r --arg q "$question" '.choices[0].message.content? // $q')
use delegate "${PEER:+${DELEGATE_PORT:+http://127.0.0.1:$DELEGATE_PORT}}" /delegate "$(json '{agent: $peer, input: $q}')"
use message "${PEER:+${A2A_PORT:+http://127.0.0.1:$A2A_PORT}}" "/amp/$PEER" "$(json '$q')"
use feedback "${FEEDBACK_PORT:+http://127.0.0.1:$FEEDBACK_PORT}" /feedback "$(json '{runId: $run, name: "ports", value: ($used | length)}')"

printf 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n'
jq -cn --arg answer "$text" --argjson earlier "$earlier" --argjson used "$used" '{output: {answer: $answer, earlier: $earlier, used: $used}}'
