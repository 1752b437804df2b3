// The floor: a server of node:http that forwards by undici's dispatch and reads nothing. With EXCHANGES=3 it makes two more requests per call, as
// holding and settling do. Prints its port.
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import { Agent } from 'undici'

const origin = process.env.UPSTREAM ?? ''
const extra = process.env.EXCHANGES === '3'
const agent = new Agent({ connections: 256, pipelining: 1 })

function forward(path: string, body: Buffer, response: ServerResponse | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    agent.dispatch(
      { origin, path, method: 'POST', headers, body },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_, status, { 'content-type': type }) => {
          response?.writeHead(status, { 'content-type': String(type) })
        },
        onResponseData: (_, chunk) => {
          response?.write(chunk)
        },
        onResponseEnd: () => resolve(),
        onResponseError: (_, error) => reject(error),
      },
    )
  })
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', async () => {
    const body = Buffer.concat(chunks)
    if (extra) await forward('/budgets/holds', body, undefined)
    await forward(request.url ?? '/', body, response)
    if (extra) await forward('/budgets/holds/1/settle', body, undefined)
    response.end()
  })
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' ? address?.port : 0}\n`)
})
