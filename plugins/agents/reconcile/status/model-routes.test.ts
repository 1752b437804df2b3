import assert from 'node:assert/strict'
import test from 'node:test'
import { agentOf, declarative, revisionOf } from '../../testing/agent-fixture.ts'
import { podRoutes } from './model-routes.ts'

const revision = (number: number, route: string, history?: string) => {
  const made = revisionOf(`bot-${number}`, number)
  const annotations = history === undefined ? {} : { 'mesh.dev/revision-history': history }
  return { ...made, metadata: { ...made.metadata, annotations }, data: { spec: { model: { route } } } }
}
const pod = (number: string, phase = 'Running') => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `bot-${number}`, labels: { 'mesh.dev/revision-number': number } },
  spec: {},
  status: { phase },
})
const namespace = agentOf(declarative).metadata.namespace ?? ''
const revisions = [revision(1, 'one'), revision(2, 'shared/two'), revision(5, 'three', '3,4')]
const routesOf = (deployed: string | undefined, pods: ReturnType<typeof pod>[]) => {
  const { routes, isLeaving } = podRoutes(agentOf({ model: { route: 'now' } }), revisions, { deployed, pods })
  return [routes.join(' '), isLeaving]
}

test('R2-CL-4: the routes of an agent are those of its spec and of every revision with a pod', () => {
  const now = `${namespace}/now`
  assert.deepEqual(routesOf(undefined, []), [now, false])
  assert.deepEqual(routesOf('bot-2', []), [`${now} shared/two`, false], 'the deployed one')
  assert.deepEqual(routesOf('bot-2', [pod('1'), pod('2')]), [`${now} ${namespace}/one shared/two`, true])
  assert.deepEqual(routesOf('bot-2', [pod('1', 'Succeeded'), pod('1', 'Failed'), pod('2')]), [
    `${now} shared/two`,
    false,
  ])
  assert.deepEqual(routesOf('bot-2', [pod('3')]), [`${now} ${namespace}/three shared/two`, true], 'its first number')
  assert.deepEqual(routesOf('bot-2', [pod('5'), pod('x'), pod('')]), [`${now} shared/two`, false])
})
