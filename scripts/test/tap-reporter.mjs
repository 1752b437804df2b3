// Writes TAP to file descriptor 4, separate from output of tests and their children. It ends when everything is read: with
// --test-force-exit the process exits once its reporter has ended. Plain JavaScript, since every test file loads it.
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

// The TAP of Node.js contains message and stack of an error, but not its cause.
async function* explained(source) {
  for await (const event of source) {
    const error = event.type === 'test:fail' ? event.data.details.error?.cause : undefined
    if (error?.cause !== undefined) error.message += `\ncaused by ${inspect(error.cause, { depth: 4 })}`
    yield event
  }
}
