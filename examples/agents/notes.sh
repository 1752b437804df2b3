#!/bin/sh
# An agent that keeps notes in its memory. Needs socat, jq and curl.
# Without an argument it listens; socat starts it again with `serve` for each connection.
if [ "$1" != serve ]; then
  exec socat "TCP-LISTEN:$AGENT_PORT,bind=127.0.0.1,fork,reuseaddr" "EXEC:$0 serve"
fi

reply() { # reply STATUS: the body is read from stdin
  printf 'HTTP/1.1 %s\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n' "$1"
  cat
}

IFS=' ' read -r _ path _
length=0
while IFS=': ' read -r name value; do
  value=${value%?} # the carriage return
  case $name in
    [Cc]ontent-[Ll]ength) length=$value ;;
    [Xx]-[Mm]esh-[Rr]un-[Ii]d) run=$value ;;
    "$(printf '\r')") break ;;
  esac
done
[ "$path" = /invoke ] || { echo null | reply '404 Not Found'; exit; }
request=$(head -c "$length")

memory() { # memory PATH [CURL OPTION ...]
  at=$1
  shift
  curl -sS --fail-with-body -H 'Content-Type: application/json' -H "X-Mesh-Run-Id: $run" "$@" "http://127.0.0.1:$MEMORY_PORT/memory/$at"
}

conversation=$(printf %s "$request" | jq -r '.conversationId')
note=$(printf %s "$request" | jq -c '.input.note // empty')
if [ -n "$note" ]; then
  memory "$conversation/append" -d "{\"note\": $note}" >/dev/null
  memory agent/remember -d "{\"text\": $note, \"metadata\": {\"kind\": \"note\"}}" >/dev/null
fi
question=$(printf %s "$request" | jq -c '.input.ask // empty')
found='{"items": []}'
if [ -n "$question" ]; then
  found=$(memory agent/search -d "{\"query\": $question, \"limit\": 3}")
fi
jq -n --argjson notes "$(memory "$conversation")" --argjson found "$found" \
  '{output: {conversation: $notes, remembered: [$found.items[].text]}}' | reply '200 OK'
