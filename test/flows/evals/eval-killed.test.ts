import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { KubeObject } from '#core/kube/client.ts'
import { forms, startPlatform } from '#test/flows/platform.ts'
import { long } from '#test/harness/counts.ts'
import { agentFile, prepareEvalWorld } from './eval-world.ts'
import type { EvalWorld } from './eval-world.ts'

const program = fileURLToPath(import.meta.resolve('../../../scripts/program/start-meshctl.mjs'))
const namespace = 'agent-eval'
const plurals = ['agentdeployments', 'evalsuites'] as const
const EXPIRES_AFTER = 'mesh.dev/expires-after'

for (const { form, options } of long ? forms.slice(1) : forms.slice(0, 1))
  test(
    `${form}: what a killed eval leaves has an end, at which the manager deletes it`,
    { ...options, timeout: 300_000 },
    async (t) => {
      const world = await prepareEvalWorld(t, await startPlatform(t, form))
      const candidate = world.file('silent.yaml', agentFile('slow', 'silent'))
      const args = ['eval', '--candidate', candidate, '--min-score', '0.5', '--namespace', namespace]
      const child = spawn(process.execPath, [program, ...args], {
        env: { ...process.env, KUBECONFIG: world.kubeconfig('admin'), NODE_OPTIONS: '' },
        stdio: 'ignore',
      })
      t.after(() => child.kill('SIGKILL'))
      const ended = once(child, 'exit')
      await until(async () => (await readAll(world, 'evalsuites')).some(isRunning))
      child.kill('SIGKILL')
      assert.deepEqual(await ended, [null, 'SIGKILL'])

      for (const plural of plurals) {
        const left = await readAll(world, plural)
        assert.equal(left.length, 1, plural)
        const [{ metadata } = assert.fail(plural)] = left
        assert.match(metadata.name, /^slow-/)
        assert.match(metadata.annotations?.[EXPIRES_AFTER] ?? '', /^\d+m$/)
      }
      const prompts = await world.send('GET', `/api/promptversions?namespace=${namespace}`)
      assert.deepEqual(prompts.json<{ items: unknown[] }>().items, [])

      // A short life in place of a long wait.
      for (const plural of plurals) await shorten(world, plural)
      assert.equal(await world.left(namespace), 'nothing')
      // The namespace may be of others.
      assert.equal((await world.kube('GET', `/api/v1/namespaces/${namespace}`)).status, 200)
      await until(async () => (await openRuns(world)).length === 0)
    },
  )

function pathOf(plural: string): string {
  return `/apis/mesh.dev/v1alpha1/namespaces/${namespace}/${plural}`
}

async function readAll({ kube }: EvalWorld, plural: string): Promise<readonly KubeObject[]> {
  const answer = await kube('GET', pathOf(plural))
  return answer.status === 200 ? answer.json<{ items: readonly KubeObject[] }>().items : []
}

function isRunning(suite: KubeObject): boolean {
  return JSON.stringify(suite).includes('"phase":"Running"')
}

// The status is written meanwhile: a conflict is tried again.
async function shorten(world: EvalWorld, plural: string): Promise<void> {
  await until(async () => {
    const [object = assert.fail(plural)] = await readAll(world, plural)
    const { metadata } = object
    const annotations = { ...metadata.annotations, [EXPIRES_AFTER]: '1s' }
    const body = { ...object, metadata: { ...metadata, annotations } }
    const { status, text } = await world.kube('PUT', `${pathOf(plural)}/${metadata.name}`, body)
    assert.ok(status === 200 || status === 409, text)
    return status === 200
  })
}

async function openRuns({ send }: EvalWorld): Promise<readonly unknown[]> {
  const answer = await send('GET', `/api/runs?namespace=${namespace}`)
  const { items } = answer.json<{ items: readonly { readonly state: string }[] }>()
  return items.filter(({ state }) => ['queued', 'running', 'cancelling'].includes(state))
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 90_000; performance.now() < end; await pause(200)) if (await holds()) return
  assert.fail('it did not happen within 90 s')
}
