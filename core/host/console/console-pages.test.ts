import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import type { ConsolePage } from '#core/plugin/console-page.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { consolePagesOf } from './console-pages.ts'

const page: ConsolePage = { id: 'acme', title: 'Acme', section: 'Build', path: '/x/acme', capability: 'acme' }
const withPages = (name: string, ...pages: readonly (object | null)[]) =>
  definePlugin({
    contract: 1,
    name,
    settings: Type.Object({}),
    create: () => ({}),
    console: pages as readonly ConsolePage[],
  })
const read = (...plugins: readonly ReturnType<typeof withPages>[]) =>
  consolePagesOf({ plugins, thirdParty: new Set(['acme']), capabilities: ['acme', 'audit', 'audit.rows'] })

test('console pages are listed in load order, with the declared fields only', () => {
  const audit = { ...page, id: 'audit', path: '/audit', capability: 'audit.rows' }
  const more = { ...page, id: 'acme.more', path: '/x/acme/more', tabOf: 'run' }
  assert.deepEqual(read(withPages('audit', { ...audit, secret: 1 }), withPages('acme', page, more)), [
    audit,
    page,
    more,
  ])
})

test('a console page names its plugin, and the other one, when id or path is taken or its capability does not exist', () => {
  for (const [pages, message] of [
    [[{ ...page, path: '/y' }, page], /^plugin b: console page "acme": plugin a has a page with the same id, acme$/],
    [[{ ...page, id: 'y' }, page], /plugin a has a page with the same path, \/x\/acme$/],
    [[page, { ...page, id: 'y', path: '/y', capability: 'audti' }], /unknown capability "audti"; did you mean audit\?/],
    [[page, { ...page, id: 'y', path: 'y' }], /path must be a string of at most 100 characters, such as \/audit$/],
    [[page, { ...page, id: 'y', path: '/y/../z' }], /path must be/],
    [[page, { ...page, id: 'y', path: '/assets/y' }], /its path begins with \/assets, which is not the console's$/],
    [[page, { ...page, id: 'y', path: '/y', title: '\0' }], /title must be a string/],
    [[page, { ...page, id: 'y', path: '/y', title: '\ud800' }], /title must be a string/],
    [[page, { ...page, id: 'y', path: '/y', section: '\0' }], /section must be a string/],
    [[page, { path: '/y' }], /console page undefined: id must be a string/],
    [[page, { ...page, id: 5 }], /id must be a string/],
    [[page, { ...page, id: 'y', path: '/y', tabOf: 'tenant' }], /tabOf must be agent or run$/],
    [[page, { ...page, id: 'y', path: '/y', tabOf: null }], /tabOf must be agent or run$/],
    [[page, null], /console page undefined: id must be a string/],
  ] as const)
    assert.throws(() => read(withPages('a', pages[0]), withPages('b', pages[1])), { name: 'BootError', message })
})

test('a console page of a third party has an id and a path of its own', () => {
  assert.throws(() => read(withPages('acme', { ...page, id: 'audit' })), /its id must be acme, or begin with acme\./)
  assert.throws(() => read(withPages('acme', { ...page, path: '/audit' })), /its path must be \/x\/acme, or below/)
  assert.throws(() => read(withPages('acme', { ...page, path: '/x/acmes' })), /its path must be \/x\/acme, or below/)
  // Only pages of the platform stand above the headings.
  assert.throws(() => read(withPages('acme', { ...page, section: '' })), /its section must have a name$/)
  assert.equal(read(withPages('audit', { ...page, section: '' }))[0]?.section, '')
})
