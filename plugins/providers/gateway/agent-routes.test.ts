import assert from 'node:assert/strict'
import test from 'node:test'
import { mayCallRoute } from './agent-routes.ts'

test('R2-CL-4: an agent with allowRoutes may call the routes of its model and these, and no other', () => {
  const may = (model: object | undefined, route: string) => {
    const [namespace = '', name = ''] = route.split('/')
    const agent = { metadata: { namespace: 'a', name: 'x' }, spec: model === undefined ? {} : { model } }
    return mayCallRoute(agent as never, { namespace, name })
  }
  const held = { route: 'fast', fallbackRoutes: ['shared/slow'], allowRoutes: ['b/embed', 'extra'] }
  assert.deepEqual(
    ['a/fast', 'shared/slow', 'b/embed', 'a/extra', 'a/embed', 'b/fast', 'a/slow', 'a/*'].map((route) =>
      may(held, route),
    ),
    [true, true, true, true, false, false, false, false],
  )
  assert.equal(may({ ...held, allowRoutes: [] }, 'a/extra'), false)
  assert.equal(may({ ...held, allowRoutes: ['*'] }, 'c/any'), true)
  assert.equal(may({ route: 'fast' }, 'a/any'), true, 'without the field')
  assert.equal(may(undefined, 'a/any'), true)
})
