import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { CONSOLE_POLICY } from '#core/http/console/routes.ts'
import { PARTS_PROGRAM, packConsole } from './pack-console.ts'

// For development: the parts of the console in all their states, under the policy of production. Builds them again for each visit.
const root = fileURLToPath(new URL('../..', import.meta.url))
const port = Number(process.env.PORT ?? 0)
let files = (await packConsole(root, PARTS_PROGRAM)).files

const server = createServer((request, response) => {
  serve(request.url ?? '/').catch((error: unknown) => response.writeHead(500).end(String(error)))

  async function serve(url: string): Promise<void> {
    const { pathname } = new URL(url, 'http://x')
    const isPage = !pathname.startsWith('/assets/')
    if (isPage) files = (await packConsole(root, PARTS_PROGRAM)).files
    const file = files.find(({ path }) => path === (isPage ? '/' : pathname))
    if (file === undefined) return void response.writeHead(404).end()
    response.writeHead(200, {
      'content-type': file.type,
      'content-encoding': 'gzip',
      'content-security-policy': CONSOLE_POLICY,
    })
    response.end(Buffer.from(file.gzip, 'base64'))
  }
})
server.listen(port, '127.0.0.1', () => {
  const address = server.address()
  console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : port}/parts`)
})
