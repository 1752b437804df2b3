import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Pool } from 'undici'
import { freePort } from '#test/harness/free-port.ts'
import type { Scope } from '#test/harness/scope.ts'
import { acceptsTcp, startProcess, untilReady } from '#test/harness/server-process.ts'

/** Where launchers of an agent call, and as whom. */
export interface LauncherPlace {
  readonly folder: string
  /** The bundled launcher. */
  readonly bundle: string
  readonly stateUrl: string
  readonly gatewayUrl: string
  /** Undefined: the gateway wants none. */
  readonly gatewayToken?: string
  readonly agent: { readonly namespace: string; readonly name: string; readonly uid: string; readonly token: string }
}

/** A launcher as its own process, of which only port 2996 is used. */
export interface MoneyLauncher {
  /** Makes one call; the status of the answer, or 0 without one. */
  call(): Promise<number>
  kill9(): Promise<void>
  /** Starts it again on the same port. */
  start(): Promise<void>
}

const call = JSON.stringify({ model: 'counted', max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] })
const headers = { 'content-type': 'application/json' }

/** Starts a launcher of an agent. */
export async function startMoneyLauncher(scope: Scope, place: LauncherPlace, index: number): Promise<MoneyLauncher> {
  const { folder, bundle, stateUrl, gatewayUrl, gatewayToken, agent } = place
  const own = `${agent.name}-${index}`
  const port = await freePort()
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, `${own}.${name}`), text, { mode: 0o600 })
    return join(folder, `${own}.${name}`)
  }
  const { token, ...identity } = agent
  const config = { ...identity, model: { route: 'counted' }, plugins: { budgets: { money: true } } }
  const env = {
    MESH_AGENT_CONFIG: file('json', JSON.stringify(config)),
    MESH_STATE_TOKEN_FILE: file('token', token),
    MESH_UNSIGNED: 'true',
    MESH_BIND: '127.0.0.1',
    MESH_LAUNCHER_PORT: '0',
    DELEGATE_PORT: '0',
    MESH_BUDGET_PORT: String(port),
    MODEL_GATEWAY_URL: gatewayUrl,
    ...(gatewayToken === undefined ? {} : { MODEL_GATEWAY_TOKEN_FILE: file('gateway', gatewayToken) }),
    STATE_URL: stateUrl,
  }
  const run = () => startProcess({ program: process.execPath, args: [bundle], log: join(folder, `${own}.log`), env })
  let server = run()
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 250, pipelining: 1 })
  scope.after(async () => {
    await server.end('SIGKILL')
    await pool.destroy()
  })
  await untilReady(server, () => acceptsTcp(port))
  return {
    call: async () => {
      try {
        const answer = await pool.request({ path: '/v1/chat/completions', method: 'POST', headers, body: call })
        await answer.body.dump()
        return answer.statusCode
      } catch {
        return 0
      }
    },
    kill9: () => server.end('SIGKILL'),
    start: async () => {
      server = run()
      await untilReady(server, () => acceptsTcp(port))
    },
  }
}
