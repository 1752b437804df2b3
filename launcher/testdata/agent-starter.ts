// Starts agents as fast as it can until it is killed: `agent-starter.ts`. Prints one line before the first.
import { startAgentProcess } from '../supervise/agent-process.ts'

const env = { PATH: process.env.PATH ?? '', MARK: process.env.MARK ?? '' }
process.stdout.write('starting\n')
for (let count = 0; count < 60; count++) {
  startAgentProcess({ command: ['sleep', '60'], env })
  await new Promise(setImmediate)
}
