// An agent in plain Node.js: `node agent.mjs [answer]`. The response `crash` ends it with code 3 before it is ready.
import { createServer } from 'node:http'

const [answer = 'hello'] = process.argv.slice(2)
if (answer === 'crash') {
  process.stdout.write('about to crash\n')
  process.exit(3)
}
createServer((request, response) => {
  if (request.url === '/die') process.exit(4)
  if (request.url === '/healthz') return response.writeHead(200).end()
  request.resume()
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ output: answer }))
}).listen(Number(process.env.AGENT_PORT), '127.0.0.1', () =>
  process.stdout.write(`agent ${process.pid} says ${answer}\n`),
)
