import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Writes nine third-party plugins, each with a kind, an event, an error, a consumer, a route and a command. Returns a settings file that lists
 * them, and one that lists none, since reading such a file has a cost of its own.
 */
export function writeMorePlugins(folder: string): { readonly nine: string; readonly none: string } {
  mkdirSync(join(folder, 'more'))
  const names = Array.from({ length: 9 }, (_, index) => `more${index + 1}`)
  for (const name of names) writeFileSync(join(folder, 'more', `${name}.mjs`), pluginOf(name))
  const file = join(folder, 'more', 'mesh.yaml')
  writeFileSync(file, `plugins: [${names.map((name) => `./${name}.mjs`).join(', ')}]\n`)
  const none = join(folder, 'more', 'none.yaml')
  writeFileSync(none, 'plugins: []\n')
  return { nine: file, none }
}

const pluginOf = (name: string): string => `import {
  Fail, Type, crud, defineCommand, defineErrors, defineEvent, defineKind, definePlugin, endpoint, event, on,
} from '@mesh.dev/mesh/plugin'

const errors = defineErrors({ ${name}_closed: { status: 409, title: 'It is closed.' } })
const opened = defineEvent({ domain: 'com.acme', plugin: '${name}', fact: 'opened', summary: 'It was opened.', data: Type.Object({ by: Type.String() }) })
const kind = defineKind({
  group: '${name}.example', kind: '${name[0]?.toUpperCase()}${name.slice(1)}', plural: '${name}s', description: 'A thing.',
  spec: Type.Object({ size: Type.Integer({ minimum: 1, maximum: 9, description: 'Size.' }) }, { additionalProperties: false, description: 'A thing.' }),
})
export default definePlugin({
  contract: 1,
  name: '${name}',
  summary: 'One of nine.',
  settings: Type.Object({ size: Type.Integer({ default: 3, description: 'Size.' }) }),
  kinds: [crud(kind, { verbs: ['list', 'get', 'create', 'update', 'delete'], sample: { size: 1 } })],
  events: [opened],
  errors,
  commands: [defineCommand({ words: '${name} size', summary: 'print the size', load: async () => async () => 0 })],
  create: (core, { size }) => ({ core, size }),
  consumers: () => [on('${name}.count', [event('dev.mesh.runs.failed.v1')], { order: 'none', from: 'now' }, async () => undefined)],
  routes: ({ size }) => [endpoint({
    method: 'GET', url: '/size/:ns', summary: 'Get the size.',
    authz: { kind: 'review', verb: 'get', resource: '${name}s.${name}.example', namespace: { in: 'path', field: 'ns' } },
    response: { 200: Type.Object({ size: Type.Integer() }) },
    handle: async () => {
      if (size === 0) throw new Fail(errors.${name}_closed)
      return { size }
    },
  })],
})
`
