import assert from 'node:assert/strict'
import test from 'node:test'
import { declarative, agentOf } from '../../testing/agent-fixture.ts'
import { configText, toLauncherConfig } from './launcher-config.ts'

test('the configuration has resolved routes and wire names, and its text does not depend on key order', () => {
  const agent = agentOf({ ...declarative, model: { route: 'mock', fallbackRoutes: ['b'], params: { maxTokens: 5 } } })
  const config = toLauncherConfig(agent, { spec: agent.spec, resolved: { routes: ['demo/mock', 'demo/b'] } })
  assert.deepEqual(config.model, { route: 'demo/mock', fallbackRoutes: ['demo/b'], requestFields: { max_tokens: 5 } })
  assert.equal(
    configText({ ...config }),
    configText(Object.fromEntries(Object.entries(config).toReversed()) as typeof config),
  )
})
