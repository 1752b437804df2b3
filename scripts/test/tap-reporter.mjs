// Writes TAP to file descriptor 4, separate from output of tests and their children. It ends when everything is read: with
// --test-force-exit the process exits once its reporter has ended. Plain JavaScript, since every test file loads it.
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { tap } from 'node:test/reporters'
import { inspect } from 'node:util'

// eslint-disable-next-line import/no-default-export -- what `node --test-reporter` loads
export default async function* reportToRunner(source) {
  const out = new Socket({ fd: 4, readable: false })
  for await (const text of tap(explained(source))) if (!out.write(text)) await once(out, 'drain')
  out.write(processorTime())
  await new Promise((resolve) => out.end(resolve))
  // At the natural end Node.js 26 frees its handles in its own loop, which once did not end after servers were killed. Listeners registered earlier
  // have already run.
  process.on('exit', () => process.exit())
  yield ''
}

// In hundredths of a second, of this process and its descendants. Systems other than Linux have no such files.
function processorTime() {
  try {
    return `# processor time ${ticksOf('self')}\n`
  } catch {
    return ''
  }
}

function ticksOf(pid) {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  // Time of the process, and of its ended children.
  const own = fields.split(' ').slice(11, 15).map(Number)
  return [...own, ...childrenOf(pid).map(ticksOfChild)].reduce((sum, ticks) => sum + ticks, 0)
}

function childrenOf(pid) {
  const lists = readdirSync(`/proc/${pid}/task`).map((id) => readFileSync(`/proc/${pid}/task/${id}/children`, 'utf8'))
  return lists.flatMap((list) => list.split(' ').filter(Boolean))
}

// The process may end meanwhile.
function ticksOfChild(pid) {
  try {
    return ticksOf(pid)
  } catch {
    return 0
  }
}

// The TAP of Node.js contains message and stack of an error, but not its cause.
async function* explained(source) {
  for await (const event of source) {
    const error = event.type === 'test:fail' ? event.data.details.error?.cause : undefined
    if (error?.cause !== undefined) error.message += `\ncaused by ${inspect(error.cause, { depth: 4 })}`
    yield event
  }
}
