import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool as PostgresPool } from 'pg'
import { Pool } from 'undici'

// `node floor-process.ts platform [DATABASE_URL]` or `node floor-process.ts launcher PLATFORM_URL`: what a run costs at least. The platform
// answers POST /api/invoke after the requests of a run to the launcher, which calls it back for the model; with a database it stores
// the rows of a run in one transaction instead. Prints its address.

const [kind = '', address = ''] = process.argv.slice(2)

const server = createServer((request, response) => {
  const answer = kind === 'launcher' ? asLauncher : asPlatform
  answer(request, response).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`)
    response.destroy()
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})

let launcher: Pool | undefined
const platform = kind === 'launcher' ? poolOf(address) : undefined
const store =
  kind === 'platform' && address !== '' ? new PostgresPool({ connectionString: address, max: 8 }) : undefined

async function asPlatform(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await read(request)
  if (request.url === '/launcher') launcher = poolOf(body)
  else if (request.url === '/v1/chat/completions')
    return stream(response, ['{"delta":"MOCK_"}', '{"delta":"OK"}', '[DONE]'])
  else if (store !== undefined) await insert(store)
  else for (const path of ['/ticket', '/invoke', '/events', '/ack']) await call(launcher, path, body)
  response.setHeader('content-type', 'application/json')
  response.end('{"state":"succeeded","output":"MOCK_OK"}')
}

async function asLauncher(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await read(request)
  if (request.url !== '/events') return void response.end('{}')
  await call(platform, '/v1/chat/completions', body)
  stream(
    response,
    Array.from({ length: 5 }, (_, index) => `{"n":${index + 1},"kind":"step.finished","data":{}}`),
  )
}

function stream(response: ServerResponse, frames: readonly string[]): void {
  response.setHeader('content-type', 'text/event-stream')
  for (const frame of frames) response.write(`data: ${frame}\n\n`)
  response.end()
}

async function insert(pool: PostgresPool): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query({ name: 'run', text: 'select floor_run()' })
    await client.query('commit')
  } finally {
    client.release()
  }
}

async function call(pool: Pool | undefined, path: string, body: string): Promise<string> {
  if (pool === undefined) throw new Error('no launcher yet')
  const answer = await pool.request({ method: 'POST', path, body, headers: { 'content-type': 'application/json' } })
  return answer.body.text()
}

function poolOf(url: string): Pool {
  return new Pool(url, { connections: 64 })
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
