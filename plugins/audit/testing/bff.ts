import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from 'typebox'
import { composeHost } from '#core/host/process/compose-process.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { runProcess } from '#core/host/process/run-process.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { audit } from '../index.ts'

// `node bff.ts FILE SETTINGS`: a BFF with audit and one route, whose act appends to FILE only. SETTINGS, a JSON object, is its whole
// environment.
const [file = '', settings = '{}'] = process.argv.slice(2)
const env = JSON.parse(settings) as Readonly<Record<string, string>>
const acts = definePlugin({
  contract: 1,
  name: 'acts',
  settings: Type.Object({}),
  create: () => ({}),
  routes: () => [
    endpoint({
      method: 'POST',
      url: '/acts/:ns/:name',
      summary: 'Do it.',
      authz: { kind: 'review', verb: 'create', resource: 'runs', namespace: { in: 'path', field: 'ns' } },
      audit: { action: 'connect', resourceKind: 'Act', intent: true },
      response: { 201: Type.Object({}) },
      handle: async ({ params }) => {
        await sleep(Math.random() * 4)
        appendFileSync(file, `${params.name}\n`)
        await sleep(Math.random() * 4)
        return {}
      },
    }),
  ],
})
const composed = await composeHost({
  roles: ['bff'],
  plugins: [audit, acts],
  env,
  version: '0.0.0',
  generateKeys: true,
})
process.exit(await runProcess(composed, ['bff']))
