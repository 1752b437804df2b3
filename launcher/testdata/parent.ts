// Holds launchers as the runner of local workloads does (output and parent pipe are pipes of this process), to be killed:
// `parent.ts <launcher main> <config file> <count>`. Prints one line when every agent was started.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { cachingNode, nodeAgent } from './node-agent.ts'

const [main = '', config = '', count = '1'] = process.argv.slice(2)
const agents: readonly (readonly string[])[] = [
  ['/bin/sh', '-c', 'trap "" TERM HUP INT; while :; do echo still here; sleep 1; done'],
  // A child in the group, one in its own session, and one of that which ignores TERM.
  ['/bin/sh', '-c', 'sleep 600 & setsid sh -c "trap \'\' TERM; sleep 600 & sleep 600" & wait'],
  nodeAgent,
  ['/bin/sh', '-c', 'while :; do echo chatter; sleep 0.05; done'],
]

const [node, ...flags] = cachingNode
let started = 0
for (let index = 0; index < Number(count); index++) {
  const command = agents[index % agents.length] ?? []
  const child = spawn(node, [...flags, main, '--', ...command], {
    env: {
      ...process.env,
      MESH_AGENT_CONFIG: config,
      MESH_UNSIGNED: 'true',
      MESH_BIND: '127.0.0.1',
      MESH_LAUNCHER_PORT: '0',
      DELEGATE_PORT: '0',
      AGENT_PORT: String(20_000 + ((process.pid * 31 + index) % 10_000)),
      MESH_PARENT_PIPE_FD: '3',
      MESH_LOG_LEVEL: 'debug',
    },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  })
  child.stdout?.resume()
  createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => {
    if (!line.includes('"agent started"')) return
    started++
    if (started === Number(count)) process.stdout.write('started\n')
  })
}
