import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { JsonObject } from '../json/json-value.ts'
import type { CustomResourceDefinition } from '../kinds/custom-kinds.ts'
import { startApiServer } from '../server.ts'
import type { ApiServer, ApiServerOptions } from '../server.ts'

/** A custom kind for tests. */
export const WIDGET: CustomResourceDefinition = {
  metadata: { name: 'widgets.mesh.dev' },
  spec: {
    group: 'mesh.dev',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', shortNames: ['wd'], categories: ['mesh'] },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'A widget.',
            properties: {
              spec: {
                type: 'object',
                required: ['size'],
                properties: {
                  size: { type: 'integer', minimum: 1, description: 'How large it is.' },
                  colour: { type: 'string', default: 'red' },
                },
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
}

export const ADMIN = 'admin-token'
export const OTHER = 'other-token'
export const WIDGETS = '/apis/mesh.dev/v1alpha1/namespaces/default/widgets'

/** A response with its JSON body. */
export interface ParsedResponse {
  code: number
  body: JsonObject
  headers: Headers
}

export interface TestServer extends ApiServer {
  dataDir: string
  call(
    method: string,
    path: string,
    body?: object,
    more?: { type?: string; token?: string; accept?: string },
  ): Promise<ParsedResponse>
}

/** Starts a server that closes with the test. */
export async function startTestServer(t: TestContext, options: Partial<ApiServerOptions> = {}): Promise<TestServer> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'apiserver-'))
  const tokens = [
    { token: ADMIN, username: 'admin', uid: 'u1', groups: ['system:masters'] },
    { token: OTHER, username: 'other', uid: 'u2', groups: [] },
  ]
  const server = await startApiServer({ dataDir, crds: [WIDGET], tokens, ...options })
  t.after(async () => {
    await server.close()
    if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
  })
  return {
    ...server,
    dataDir,
    async call(method, path, body, { type = 'application/json', token = ADMIN, accept = 'application/json' } = {}) {
      const headers = { authorization: `Bearer ${token}`, accept, ...(body ? { 'content-type': type } : {}) }
      const init: RequestInit = { method, headers }
      if (body) init.body = JSON.stringify(body)
      const response = await fetch(server.url + path, init)
      const parsed: JsonObject = JSON.parse(await response.text())
      return { code: response.status, body: parsed, headers: response.headers }
    },
  }
}

/** A widget to create. */
export function widget(name: string, size = 1, metadata: object = {}): object {
  return { apiVersion: 'mesh.dev/v1alpha1', kind: 'Widget', metadata: { name, ...metadata }, spec: { size } }
}
