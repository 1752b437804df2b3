// Writes TAP to file descriptor 4, where nothing that a test or its children print can get between the lines. It ends when everything is
// read: with --test-force-exit the process exits as soon as its reporter has ended. Plain JavaScript: every test file loads it.
import { once } from 'node:events'
import { Socket } from 'node:net'
import { tap } from 'node:test/reporters'
import { inspect } from 'node:util'

// eslint-disable-next-line import/no-default-export -- what `node --test-reporter` loads
export default async function* reportToRunner(source) {
  const out = new Socket({ fd: 4, readable: false })
  for await (const text of tap(explained(source))) if (!out.write(text)) await once(out, 'drain')
  await new Promise((resolve) => out.end(resolve))
  yield ''
}

// TAP of Node.js has an error's message and stack, and not what caused it.
async function* explained(source) {
  for await (const event of source) {
    const error = event.type === 'test:fail' ? event.data.details.error?.cause : undefined
    if (error?.cause !== undefined) error.message += `\ncaused by ${inspect(error.cause, { depth: 4 })}`
    yield event
  }
}
