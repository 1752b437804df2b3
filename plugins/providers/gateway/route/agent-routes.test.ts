import assert from 'node:assert/strict'
import test from 'node:test'
import { mayCallRoute, routeNotAllowed } from './agent-routes.ts'

const may = (model: object | undefined, route: string, status?: object) => {
  const [namespace = '', name = ''] = route.split('/')
  const agent = { metadata: { namespace: 'a', name: 'x' }, spec: model === undefined ? {} : { model }, status }
  return mayCallRoute(agent as never, { namespace, name })
}

test('R2-CL-4: an agent may call the routes that its model names, and no other', () => {
  const held = { route: 'fast', fallbackRoutes: ['shared/slow'] }
  const more = { ...held, allowRoutes: ['b/embed', 'extra'] }
  const asked = [
    'a/fast',
    'shared/slow',
    'b/embed',
    'a/extra',
    'a/embed',
    'b/fast',
    'a/slow',
    'a/*',
    '*/fast',
    '/*',
    '/',
  ]
  const named = (model: object | undefined) => asked.filter((route) => may(model, route))
  assert.deepEqual(named(held), ['a/fast', 'shared/slow'])
  assert.deepEqual(named({ ...held, allowRoutes: [] }), ['a/fast', 'shared/slow'])
  assert.deepEqual(named(more), ['a/fast', 'shared/slow', 'b/embed', 'a/extra'])
  assert.deepEqual(named({ ...held, allowRoutes: ['*'] }), asked)
  assert.deepEqual(named(undefined), [], 'an agent without spec.model names no route')
})

test('R2-CL-4: pods of a revision that still runs keep its routes', () => {
  const now = { route: 'new' }
  const running = { modelRoutes: ['a/new', 'a/old', 'b/old'] }
  assert.deepEqual(
    [may(now, 'a/old', running), may(now, 'b/old', running), may(now, 'b/new', running)],
    [true, true, false],
  )
  assert.equal(may(now, 'c/any', { modelRoutes: ['*'] }), true)
  assert.equal(may(now, 'a/old', { modelRoutes: ['a/new'] }), false)
})

test('R2-CL-4: the error names the field to write', () => {
  const error = (spec: object) =>
    routeNotAllowed({ metadata: { namespace: 'a', name: 'x' }, spec } as never, { namespace: 'a', name: 'y' }).message
  assert.match(error({ model: { route: 'z' } }), /a\/x may not call a\/y\. Name the route in spec\.model\.allowRoutes/)
  assert.match(error({}), /Name the route in spec\.model\.route of/)
})
