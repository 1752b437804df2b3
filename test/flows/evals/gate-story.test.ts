import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startOnCluster } from '#test/flows/platform/on-cluster.ts'
import { needs } from '#test/harness/find-server.ts'
import { kubectl } from '#test/harness/kubectl.ts'
import { attributesOf, parseXml } from '#test/harness/parse-xml.ts'
import { agentFile, prepareEvalWorld } from './eval-world.ts'

const program = fileURLToPath(import.meta.resolve('../../../scripts/program/start-meshctl.mjs'))
const servers = needs('etcd', 'kube-apiserver', 'kubectl', 'postgres', 'initdb', 'nats-server')

/** `meshctl` as a process, as a user types it. */
async function start(t: TestContext) {
  const platform = await startOnCluster(t, { candidates: true, env: { MESH_OUTBOUND_ALLOW: '127.0.0.1' } })
  const world = await prepareEvalWorld(t, platform)
  const kubeconfig = world.kubeconfig('admin')
  const meshctl = (args: readonly string[], env: Readonly<Record<string, string>> = { KUBECONFIG: kubeconfig }) => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: world.folder,
      env: { ...process.env, NODE_OPTIONS: '', HOME: world.folder, ...env },
    })
    let [out, err] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
    const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
      child.once('close', (code) => resolve({ code, out, err })),
    )
    return { child, ended }
  }
  return { world, kubeconfig, meshctl }
}

test('a deploy is gated on a score, on the real API server', { ...servers, timeout: 500_000 }, async (t) => {
  const { world, kubeconfig, meshctl } = await start(t)
  const made = await kubectl(kubeconfig, ['create', 'namespace', 'agent-eval'])
  assert.equal(made.code, 0, made.stderr)
  const evaluate = ['eval', '--candidate', 'agent.yaml', '--min-score', '0.8']

  await t.test('eval exits with 1, and with 0 after the fix', async () => {
    world.file('agent.yaml', agentFile('bot', 'rude'))
    const worse = await meshctl([...evaluate, '--output', 'junit']).ended
    assert.equal(worse.code, 1, worse.err)
    assert.equal(attributesOf(parseXml(worse.out), 'testcase > failure', 'type').length, 3)
    world.file('agent.yaml', agentFile('bot', 'kind'))
    const fixed = await meshctl(evaluate).ended
    assert.equal(fixed.code, 0, fixed.err)
    assert.equal((JSON.parse(fixed.out) as { score: number }).score, 1)
    assert.match(fixed.err, /^demo\/bot: pass, score 1 of 0\.8 required; 3 of 3 cases passed\n$/)
    assert.equal(await world.left('agent-eval'), 'nothing')
  })

  await t.test('without a kubeconfig it exits with 2 and says what to do', async () => {
    const none = await meshctl(evaluate, { KUBECONFIG: '' }).ended
    assert.deepEqual([none.code, none.out], [2, ''])
    assert.match(
      none.err,
      /^meshctl: no kubeconfig: .*\.kube\/config does not exist\n--kubeconfig FILE or KUBECONFIG names[^\n]*\n$/,
    )
  })

  await t.test('SIGTERM in the middle leaves nothing, and a namespace that it made goes too', async () => {
    world.file('slow.yaml', agentFile('slow', 'silent'))
    const slow = ['eval', '--candidate', 'slow.yaml', '--min-score', '0.5', '--namespace', 'scratch']
    const { child, ended } = meshctl(slow)
    const path = '/apis/mesh.dev/v1alpha1/namespaces/scratch/evalsuites'
    for (const end = performance.now() + 120_000; performance.now() < end; await pause(200)) {
      const { status, text } = await world.kube('GET', path)
      if (status === 200 && text.includes('"phase":"Running"')) break
    }
    child.kill('SIGTERM')
    assert.deepEqual(await ended, {
      code: 143,
      out: '',
      err: 'meshctl: stopped by SIGTERM; what it made is deleted.\n',
    })
    for (const plural of ['agentdeployments', 'evalsuites']) {
      const listed = await kubectl(kubeconfig, ['get', plural, '-n', 'scratch', '-o', 'name'])
      assert.deepEqual([listed.code, listed.stdout], [0, ''], listed.stderr)
    }
    assert.equal(await world.left('scratch'), 'no namespace')
  })

  await t.test('what passed is applied by kubectl', async () => {
    const expanded = await meshctl(['expand', 'agent.yaml']).ended
    assert.deepEqual([expanded.code, expanded.err], [0, ''])
    const applied = await kubectl(kubeconfig, ['apply', '-f', '-'], expanded.out)
    assert.equal(applied.code, 0, applied.stderr)
    const found = await kubectl(kubeconfig, ['get', 'agentdeployments', '-n', 'demo', 'bot', '-o', 'name'])
    assert.equal(found.stdout, 'agentdeployment.mesh.dev/bot\n')
    rmSync(`${world.folder}/agent.yaml`)
    const gone = await meshctl(evaluate).ended
    assert.deepEqual([gone.code, gone.out], [2, ''])
    assert.match(gone.err, /^meshctl: agent\.yaml: does not exist/)
  })
})
