import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { SessionFixture } from '#plugins/recording/contract/format/append.ts'
import { needs } from '#test/harness/find-server.ts'
import { freePort } from '#test/harness/free-port.ts'
import { attributesOf, parseXml } from '#test/harness/parse-xml.ts'
import { openStoryWorld } from './story-world.ts'
import type { StoryWorld } from './story-world.ts'
import type { Terminal } from './terminal.ts'

interface Invoked {
  readonly runId: string
  readonly state: string
  readonly output: unknown
}

const servers = needs('etcd', 'kube-apiserver', 'kubectl', 'postgres', 'initdb', 'nats-server', 'versitygw')

const agentFile = `name: desk
namespace: demo
model: { route: desk }
systemPrompt: You greet people in one friendly sentence.
recording: {}
eval: { dataset: greetings }
`
const worsen = "sed -i.old 's/friendly/curt/' agent.yaml"
const fix = "sed -i.old 's/curt/friendly/' agent.yaml"
const curl = "curl -sS -H 'Content-Type: application/json'"
const evaluate = 'meshctl eval --candidate agent.yaml --min-score 0.8'
const differs = /different model call \d+: .*first different at "\/body\/messages\/0\/content"/

// Issue 33, "Done when", one line after the other.
for (const form of ['embedded', 'cluster'] as const)
  test(
    `${form}: a developer with only meshctl authors, runs, records, replays, gates and deploys`,
    { ...servers, timeout: 900_000 },
    async (t) => {
      const world = await openStoryWorld(t, form)
      const { terminal } = world
      await isAuthored(terminal)
      await isRecorded(terminal)
      await isReplayed(terminal)
      await isGated(world)
      await isStopped(world)
      const run = await isDeployed(terminal)
      await isDownloaded(world, run)
      await isMerged(terminal, `${run}.fixture.json`)
      assert.deepEqual(readdirSync(terminal.env['TMPDIR'] ?? ''), [], 'no command leaves a file')
    },
  )

async function isAuthored({ type, write }: Terminal): Promise<void> {
  const none = await type('meshctl expand agent.yaml')
  assert.equal(none.code, 1)
  assert.match(none.err, /^agent\.yaml: does not exist\n[^\n]+\n$/)
  write('agent.yaml', agentFile.replace('recording', 'recordings'))
  const unknown = await type('meshctl expand agent.yaml')
  assert.deepEqual([unknown.code, unknown.out], [1, ''])
  assert.match(unknown.err, /agent\.yaml:5:1: .*did you mean recording/)
  write('agent.yaml', agentFile)
  const expanded = await type('meshctl expand agent.yaml')
  assert.deepEqual([expanded.code, expanded.err], [0, ''])
  assert.match(expanded.out, /^kind: AgentDeployment$/m)
}

async function isRecorded({ type, background, folder }: Terminal): Promise<void> {
  const port = await freePort()
  const dev = background(`meshctl dev --port ${port} --record run.json`)
  await dev.says(/POST http:\S+/)
  const said = await type(`${curl} -d '{"input":"Hi"}' http://127.0.0.1:${port}/invoke`)
  assert.equal(said.code, 0, said.err)
  const run = JSON.parse(said.out) as Invoked
  assert.deepEqual([run.state, run.output], ['succeeded', 'MOCK_OK'])
  await dev.says(/model mock {2}\d+ ms[^]*recorded in run\.json/)
  assert.equal(await dev.stop(), 130)
  assert.equal(statSync(join(folder, 'run.json')).mode & 0o777, 0o600)
}

async function isReplayed({ type }: Terminal): Promise<void> {
  const replay = 'meshctl dev --port 0 --replay run.json'
  const changed = await type(`${worsen} && ${replay}`)
  assert.equal(changed.code, 2, changed.err)
  assert.match(changed.err, differs)
  const same = await type(`${fix} && ${replay}`)
  assert.equal(same.code, 0, same.err)
  assert.match(same.out, /every recorded call was made as recorded\n$/)
}

async function isGated({ terminal, kubeconfig, isCleared }: StoryWorld): Promise<void> {
  const { type, env, read } = terminal
  const none = await type(evaluate)
  assert.deepEqual([none.code, none.out], [2, ''])
  assert.match(
    none.err,
    /^meshctl: no kubeconfig: .*\.kube\/config does not exist\n--kubeconfig FILE or KUBECONFIG .*\n$/,
  )
  env['KUBECONFIG'] = kubeconfig
  const worse = await type(`${worsen} && ${evaluate} --output junit > eval.xml`)
  assert.equal(worse.code, 1, worse.err)
  assert.match(worse.err, /^demo\/desk: fail, score 0 of 0\.8 required; 0 of 3 cases passed\n$/)
  assert.equal(attributesOf(parseXml(read('eval.xml')), 'testcase > failure', 'type').length, 3)
  const fixed = await type(`${fix} && ${evaluate}`)
  assert.equal(fixed.code, 0, fixed.err)
  assert.equal((JSON.parse(fixed.out) as { score: number }).score, 1)
  await isCleared()
}

async function isStopped({ terminal, leftOf }: StoryWorld): Promise<void> {
  const { type, write, background } = terminal
  write('slow.yaml', agentFile.replace('name: desk', 'name: slow').replace('route: desk', 'route: silent'))
  const slow = background('meshctl eval --candidate slow.yaml --min-score 0.5 --namespace scratch')
  const phases = "kubectl get evalsuites -n scratch -o jsonpath='{..phase}'"
  const runs = await type(`until ${phases} | grep -q Running; do sleep 0.3; done`)
  assert.equal(runs.code, 0, runs.err)
  assert.equal(await slow.stop('SIGTERM'), 143)
  assert.match(await slow.says(/.+/s), /^meshctl: stopped by SIGTERM; what it made is deleted\.\n$/)
  for (const plural of ['agentdeployments', 'evalsuites']) {
    const { code, out, err } = await type(`kubectl get ${plural} -n scratch -o name`)
    assert.deepEqual([code, out], [0, ''], err)
  }
  assert.equal(await leftOf('scratch'), 'no namespace')
}

/** Returns the id of a run of the deployed agent. */
async function isDeployed({ type, write }: Terminal): Promise<string> {
  const applied = await type('meshctl expand agent.yaml | kubectl apply -f -')
  assert.deepEqual([applied.code, applied.out], [0, 'agentdeployment.mesh.dev/desk created\n'], applied.err)
  const ready = await type('kubectl wait -n demo --for=condition=Ready agentdeployment/desk --timeout=120s')
  assert.equal(ready.code, 0, ready.err)
  write('invoke.json', '{"agent":{"namespace":"demo","name":"desk"},"input":"Hi","timeout":"60s"}')
  const said = await type('meshctl api invoke --method POST --body invoke.json')
  assert.equal(said.code, 0, said.err)
  const { runId, state, output } = JSON.parse(said.out) as Invoked
  assert.deepEqual([state, output], ['succeeded', 'Yes, please.'])
  const recorded = await type(`until meshctl api runs/${runId}/fixture | grep '"complete": *true'; do sleep 0.2; done`)
  assert.equal(recorded.code, 0, recorded.err)
  return runId
}

async function isDownloaded({ terminal, store }: StoryWorld, run: string): Promise<void> {
  const { type, env, folder } = terminal
  const without = await type(`meshctl download-fixture ${run}`)
  assert.deepEqual([without.code, without.out], [1, ''])
  Object.assign(env, store)
  const loaded = await type(`umask 0; meshctl download-fixture ${run}`)
  assert.deepEqual([loaded.code, loaded.out, loaded.err], [0, `${run}.fixture.json\n`, ''])
  assert.equal(statSync(join(folder, `${run}.fixture.json`)).mode & 0o777, 0o600)
  const replay = `meshctl dev --port 0 --replay ${run}.fixture.json`
  const same = await type(replay)
  assert.equal(same.code, 0, same.err)
  assert.match(same.out, /→ Yes, please\.\n/)
  const changed = await type(`${worsen} && ${replay}`)
  assert.equal(changed.code, 2, changed.err)
  assert.match(changed.err, differs)
}

async function isMerged({ type, background, read }: Terminal, fixture: string): Promise<void> {
  await type(fix)
  const dev = background(`meshctl dev --port 0 --record ${fixture}`)
  const url = await dev.says(/POST (http:\S+)/)
  await type(`${curl} -d '{"input":"Bye"}' ${url}`)
  await dev.says(/recorded in /)
  assert.equal(await dev.stop(), 130)
  const { model, complete } = JSON.parse(read(fixture)) as SessionFixture
  assert.deepEqual([model.map(({ epoch }) => epoch), complete], [[1, 2], true])
  const replayed = await type(`meshctl dev --port 0 --replay ${fixture}`)
  assert.equal(replayed.code, 0, replayed.err)
  assert.match(replayed.out, /→ Yes, please\.\n[^]*→ MOCK_OK\n/)
}
