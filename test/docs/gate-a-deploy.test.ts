import assert from 'node:assert/strict'
import test from 'node:test'
import { long } from '#test/harness/counts.ts'
import { needs } from '#test/harness/find-server.ts'
import { startOnCluster } from '../flows/platform/on-cluster.ts'
import type { Form } from '../flows/platform/running-platform.ts'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { createPageShell } from './page-shell.ts'

const env = { MESH_OUTBOUND_ALLOW: '127.0.0.1' }
const forms: readonly Form[] = [long ? 'cluster' : 'embedded']
const servers: Readonly<Record<Form, ReturnType<typeof needs>>> = {
  embedded: needs('kubectl'),
  cluster: needs('etcd', 'kube-apiserver', 'kubectl', 'postgres', 'initdb', 'nats-server'),
}

// One story, as a reader follows it: cases of runs, and the gate that they feed.
for (const form of forms)
  test(`${form}: a dataset from runs gates a deploy`, { ...servers[form], timeout: 900_000 }, async (t) => {
    const platform = await (form === 'embedded' ? sharedEmbedded() : startOnCluster(t, { candidates: true, env }))
    const open = (page: string) => {
      const shell = createPageShell(t, page, platform)
      return { shell, section: async (heading: string) => (await shell.section(heading)).join('\n') }
    }

    await t.test('the commands of build-a-dataset-from-runs.md run, store, label and pin', async () => {
      const { section, shell } = open('build-a-dataset-from-runs.md')
      assert.match(await section('Create an agent from a recipe'), /condition met/)
      const ran = await section('Run it')
      for (const reply of ['Welcome, Ada!', 'Welcome! How can I help you?', 'Welcome! Please take a seat.'])
        assert.ok(ran.includes(`"output":"${reply}"`), ran)
      const cases = await section('Make cases of the runs')
      assert.match(cases, /^default\tarrivals\t3\t0\t-\t/m)
      assert.ok(!cases.includes('ann@example.com'))
      assert.equal(cases.match(/^\S+\t.*\tWelcome.*\tgreeting$/gm)?.length, 3, cases)
      const [first = '', second = ''] = await shell.section('Label them')
      assert.equal(first.match(/\tcorrect=true\t/g)?.length, 3, first)
      assert.equal(second.match(/\tcorrect=true\t/g)?.length, 2, second)
      assert.equal(second.match(/\tcorrect=false\t/g)?.length, 1, second)
      assert.match(second, /"value":false,[^}]*"current":true[^}]*\},\{[^}]*"value":true,[^}]*"current":false/)
      const [pinned = '', later = ''] = await shell.section('Pin them')
      assert.match(pinned, /^1\t3\tsha256:/m)
      assert.match(pinned, /^default\tarrivals\t3\t3\t1\t/m)
      assert.match(pinned, /"note":"three runs"/)
      // Four live cases after the import, and the three of the pin.
      assert.equal(later.match(/^evening\t/gm)?.length, 1, later)
      assert.equal(later.trimEnd().split('\n').length, 1 + 4 + 3, later)
    })

    await t.test('the commands of gate-a-deploy.md pass, hold, fix and override', async () => {
      const { section } = open('gate-a-deploy.md')
      await section('Write a suite')
      const gated = await section('Gate the agent')
      assert.match(gated, /^reception .* Passed( |$)/m)
      assert.equal(gated.match(/^\S+\ttrue\t1\tfalse\t/gm)?.length, 3, gated)
      const held = await section('Change the prompt for the worse')
      assert.match(held, /^reception .* Failed +0( |$)/m)
      assert.match(held, /^Score 0\.00, required 0\.80\. reception-\S+ was evaluated by welcoming /m)
      assert.equal(held.match(/^\S+\tfalse\t0\ttrue\t/gm)?.length, 3, held)
      assert.match(held, /\tFailed\t0\tfalse\tfalse\t[\s\S]*\tPassed\t1\ttrue\tfalse\t/)
      assert.ok(held.includes('"output":"Welcome, Ada!"'), 'the former prompt serves')
      const fixed = await section('Fix it')
      assert.ok(fixed.includes('"output":"Welcome, Ada!"'), fixed)
      assert.match(fixed, /\tPassed\t1\ttrue\tfalse\t[\s\S]*\tFailed\t0\tfalse\tfalse\t/)
      const overridden = await section('Let a revision serve that has not passed')
      assert.match(overridden, /^reception\t\d+\t\S+\t\S+\tA rush at the desk; agreed with Ann\.$/m)
      assert.match(overridden, /"override":\{[^}]*"reason":"A rush at the desk; agreed with Ann\."/)
    })
  })
