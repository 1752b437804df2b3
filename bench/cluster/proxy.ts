import { createServer, request as requestHttp } from 'node:http'
import { Agent, request as requestHttps } from 'node:https'
import type { AddressInfo } from 'node:net'

// `node proxy.ts SERVER [CA]`: the same walk with the minimum that Node.js needs, as a floor: piped, without checks and rewriting.
const [server = '', ca] = process.argv.slice(2)
const target = new URL(server)
const agent = new Agent({ keepAlive: true, ...(ca === undefined ? {} : { ca }) })

const proxy = createServer(({ url, headers }, response) => {
  const options = {
    host: target.hostname,
    port: target.port,
    path: url,
    headers: { accept: 'application/json', authorization: headers.authorization ?? '' },
  }
  const upstream = target.protocol === 'https:' ? requestHttps({ ...options, agent }) : requestHttp(options)
  upstream.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  upstream.on('error', () => response.destroy())
  upstream.end()
})
proxy.listen(0, '127.0.0.1', () => {
  const { port } = proxy.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
})
