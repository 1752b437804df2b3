// An agent that performs the actions of its input in its own pod, and returns what each observed. Plain Node.js, so that it runs in any image.
// Signals and their order are reported to the server at WITNESS, which outlives the pod.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { request as requestTls } from 'node:https'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

const { env } = process
// Ends of the processes that this one has started.
const children = []
const headers = { 'content-type': 'application/json' }
const note = (text) => (env.WITNESS ? fetch(`${env.WITNESS}/${text}`).then(String, String) : undefined)
const read = (path) => {
  try {
    return readFileSync(path, 'latin1')
  } catch ({ code }) {
    return code
  }
}
const statuses = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => read(`/proc/${pid}/status`))

const actions = {
  /** Sends an HTTP request; `port` names the variable of a port. */
  async request({ port, url = `http://localhost:${env[port]}`, method = 'POST', path, body, more = {} }, run) {
    const token = env.MODEL_GATEWAY_TOKEN_FILE
    const bearer = url === env.MODEL_GATEWAY_URL && token ? { authorization: `Bearer ${read(token)}` } : {}
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const all = { ...headers, 'x-mesh-run-id': run, ...bearer, ...more }
    const answer = await fetch(url + path, { method, headers: all, ...sent })
    const text = await answer.text()
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: JSON.parse(text || 'null') }
  },
  /** Sends a POST by TLS to a server that cannot prove itself to this agent. */
  insecure: ({ url, body, more }) =>
    new Promise((resolve, reject) => {
      const sent = requestTls(url, { method: 'POST', headers: { ...headers, ...more }, rejectUnauthorized: false })
      sent.on('error', reject).on('response', async (answer) => {
        let text = ''
        for await (const chunk of answer) text += chunk
        resolve({ status: answer.statusCode, body: JSON.parse(text || 'null') })
      })
      sent.end(JSON.stringify(body))
    }),
  /** Opens connections. Returns an outcome for each address: `open`, or the code of the error. */
  connect: (addresses) =>
    Promise.all(
      addresses.map(
        ([host, port]) =>
          new Promise((resolve) => {
            const socket = connect({ host, port, timeout: 5000 })
            const end = (found) => (socket.destroy(), resolve(found))
            socket
              .on('connect', () => end('open'))
              .on('error', ({ code }) => end(code))
              .on('timeout', () => end('no answer'))
          }),
      ),
    ),
  read: (path) => read(path),
  environment: () => env,
  /** Leaves orphans: each process starts others, and is killed before it has waited for one of them. */
  async orphans({ processes, each }) {
    const leave = `for (let n = 0; n < ${each}; n++) require('node:child_process').spawn('/mesh/tini', ['-h'], { stdio: 'ignore' })
      process.kill(process.pid, 'SIGKILL')`
    for (let n = 0; n < processes; n++) {
      const signal = await new Promise((resolve) =>
        spawn(process.execPath, ['-e', leave], { stdio: 'ignore' }).on('exit', (_, by) => resolve(by)),
      )
      if (signal !== 'SIGKILL') throw new Error(`it ended with ${signal}`)
    }
  },
  processes: () => ({
    zombies: statuses().filter((status) => /^State:\tZ/m.test(status)).length,
    all: statuses().length,
  }),
  first: () => read('/proc/1/cmdline').split('\0')[0],
  exit: (code) => process.exit(code),
  kill: (signal) => process.kill(process.pid, signal),
  /** Starts a process of the agent's group that reports the signals it gets, and ends by SIGTERM. */
  child: () => {
    const text = `const note = (signal) => fetch('${env.WITNESS}/child ' + signal)
      process.on('SIGHUP', note).on('SIGTERM', (signal) => note(signal).finally(() => process.exit()))
      setInterval(() => undefined, 60000); console.log('ready')`
    const child = spawn(process.execPath, ['-e', text], { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(once(child, 'exit'))
    return once(child.stdout, 'data').then(String)
  },
  note: (text) => note(text),
  pause: (ms) => pause(ms).then(() => ms),
}

async function perform(action, run) {
  const [[name, argument]] = Object.entries(action)
  try {
    return await actions[name](argument, run)
  } catch (error) {
    return { error: String(error.cause?.code ?? error) }
  }
}

const ends = Number(env.EXIT_CODE ?? 0)
process.on('SIGHUP', () => note('agent SIGHUP'))
process.on('SIGTERM', async () => {
  await note('agent SIGTERM')
  // The end of the first process of a container is that of all.
  await Promise.all(children)
  process.exit(ends)
})
createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  if (request.url !== '/invoke') return response.writeHead(request.url === '/healthz' ? 200 : 404).end()
  const { input } = JSON.parse(text)
  const output = []
  if (!Array.isArray(input)) return response.writeHead(200, headers).end(JSON.stringify({ output: { echo: input } }))
  for (const action of input) output.push((await perform(action, request.headers['x-mesh-run-id'])) ?? null)
  response.writeHead(200, headers).end(JSON.stringify({ output }))
}).listen(Number(env.AGENT_PORT), '127.0.0.1')
