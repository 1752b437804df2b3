import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Role } from '#core/config/profile.ts'
import { composeStack } from '#local/stack.ts'
import type { StartedStack } from '#local/stack.ts'
import { plugins } from '#plugins/index.ts'
import { long } from '#test/harness/counts.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

const roles: readonly Role[] = ['migrate', 'state', 'manager', 'worker', 'gateway', 'bff']
const names = plugins.map(({ name }) => name)

type Ask = (method: string, path: string, body?: object) => Promise<{ status: number; body: Record<string, unknown> }>

/** Starts `all` with these settings on a folder that later starts share, and closes it. */
async function withAll(folder: string, settings: string, use: (ask: Ask) => Promise<void>): Promise<void> {
  const file = join(folder, 'mesh.yaml')
  writeFileSync(file, settings)
  const options = { port: 0, fresh: false, demo: 'all', output: 'json', apiAudit: undefined } as const
  const stack = await composeStack({
    options: { ...options, data: join(folder, 'data') },
    roles,
    plugins,
    env: { MESH_CONFIG: file, MESH_ADMIN_PORT: '0' },
    version: '0.0.0',
  })
  try {
    await use(askerOf(await stack.start()))
  } catch (error) {
    throw new Error(`with ${settings}: ${String(error)}`, { cause: error })
  } finally {
    await stack.close()
  }
}

function askerOf({ url, tokens }: StartedStack): Ask {
  return async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${tokens.admin}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await holds()); await pause(100)) assert.ok(Date.now() < end, what)
}

test(
  'R2-C2, R2-C4, R2-M2: all starts, serves and stops with plugins off and without a store',
  { timeout: 600_000 },
  async (t) => {
    const folder = tempFolder('off')
    t.after(folder.remove)
    await withAll(folder.path, 'store: none', async (ask) => {
      assert.equal((await ask('GET', '/api/health')).status, 200)
      assert.equal((await ask('GET', '/api/runs')).status, 501)
      // Pods are the cluster's: agents are deployed without a store.
      await until('the agent is deployed', async () =>
        /"Accepted"/.test(JSON.stringify(await ask('GET', '/api/agents/demo/hello'))),
      )
    })
    await withAll(folder.path, `disable: [${names.join()}]`, async (ask) => {
      assert.equal((await ask('GET', '/api/health')).status, 200)
      assert.equal((await ask('GET', '/api/agents')).status, 501)
    })
    // Runs are joined on uids of namespaces, which core follows.
    await withAll(folder.path, 'disable: [identity]', async (ask) => {
      assert.equal((await ask('GET', '/api/whoami')).status, 501)
      const { status, body } = await ask('POST', '/api/invoke', {
        agent: { namespace: 'demo', name: 'hello' },
        input: 'hi',
      })
      assert.equal(status, 200, JSON.stringify(body))
    })
    for (const name of long ? names : ['runs'])
      await withAll(folder.path, `disable: [${name}]`, async (ask) => {
        const { status } = await ask('GET', '/api/health')
        assert.equal(status, 200)
      })
  },
)
