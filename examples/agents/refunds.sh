#!/bin/sh
# A refund desk: grants small amounts, asks a person about large ones. Needs socat and jq.
# Without an argument it listens; socat starts it again with `serve` for each connection.
if [ "$1" != serve ]; then
  exec socat "TCP-LISTEN:$AGENT_PORT,bind=127.0.0.1,fork,reuseaddr" "EXEC:$0 serve"
fi

reply() { # reply STATUS TYPE: the body is read from stdin
  printf 'HTTP/1.1 %s\r\nContent-Type: %s\r\nConnection: close\r\n\r\n' "$1" "$2"
  cat
}

IFS=' ' read -r _ path _
length=0
while IFS=': ' read -r name value; do
  value=${value%?} # the carriage return
  case $name in
    [Cc]ontent-[Ll]ength) length=$value ;;
    "$(printf '\r')") break ;;
  esac
done
[ "$path" = /invoke ] || { reply '404 Not Found' text/plain </dev/null; exit; }
request=$(head -c "$length")

if printf %s "$request" | jq -e '.input | type == "string"' >/dev/null; then
  printf 'data: Thank you, \n\ndata: we will look into it.\n\n' | reply '200 OK' text/event-stream
  exit
fi
printf %s "$request" | jq -c '
  .context.resume as $resume
  | if $resume then
      {output: {refunded: (if $resume.resolutions[0].decision == "approve" then $resume.checkpoint.amount else 0 end)}}
    elif .input.amount <= 100 then
      {output: {refunded: .input.amount}}
    else
      {interrupts: [{id: "refund", reason: "approval_required", question: "Refund \(.input.amount)?"}],
       checkpoint: {amount: .input.amount}}
    end' | reply '200 OK' application/json
