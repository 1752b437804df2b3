import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint, Call } from '#core/http/endpoint/endpoint.ts'
import type { Access } from '#core/cluster/caller.ts'
import { dryRunQuery } from '#core/http/store/declared/stored-schemas.ts'
import { ofItem } from '#core/http/store/routes/item-call.ts'
import {
  authorshipOf,
  expectVersion,
  respondWith,
  storedKeyOf,
  writeStored,
} from '#core/http/store/routes/stored-services.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { nothing } from '#schemas/api/common.ts'
import { NewPromptBody, PromptBody, PromptDeleteQuery } from '#schemas/api/prompts.ts'
import { readChange, readNewPrompt, readYaml } from '../content/read-body.ts'
import { promptResource } from '../contract/resources.ts'
import type { PromptServices } from '../services/create-services.ts'
import { appendVersionIn, deleteVersionIn, moveLabelsIn } from '../store/write-prompt.ts'
import { deleteStoredIn } from '#core/http/store/objects/stored-writes.ts'
import { promptExamples } from './examples.ts'
import { reviewLabels, savePrompt } from '../save/save-prompt.ts'
import { refuseUsed } from './used-by.ts'

const { names, schemas } = promptResource
const list = '/promptversions' as const
const item = `${list}/:ns/:name` as const

/** Routes that change prompts: create or append, change, delete. */
export function writeRoutes(services: PromptServices): AnyEndpoint[] {
  return [create(services), change(services), remove(services)]
}

const create = (services: PromptServices): AnyEndpoint =>
  endpoint({
    method: 'POST',
    url: list,
    id: 'createPromptVersion',
    docs: { examples: promptExamples.create, sends: ['ETag'] },
    summary: 'Create a prompt, or append a version to it: a document in JSON or YAML, or its fields.',
    // The namespace is that of the body, in one of two forms.
    authz: { kind: 'row', verb: 'create', resource: names.resource },
    audit: { action: 'create', resourceKind: names.kind },
    query: dryRunQuery,
    body: NewPromptBody,
    response: { 200: schemas.item, 201: schemas.item },
    handle: (call) => createFrom(services, call, call.body),
    handleYaml: (call) => createFrom(services, call, readYaml(call.body)),
  })

type WriteCall = Call<unknown, unknown, unknown>

async function createFrom(services: PromptServices, call: WriteCall, body: unknown): Promise<unknown> {
  const sent = readNewPrompt(body)
  const { row, isNew } = await savePrompt(services, call.caller, sent, (write) => writeStored(services, call, write))
  call.reply.code(isNew ? 201 : 200)
  if (isNew) call.reply.header('location', `/api${list}/${row.namespace}/${row.name}?version=${row.revision}`)
  return respondWith(services, promptResource, call, row)
}

const change = (services: PromptServices): AnyEndpoint =>
  endpoint({
    method: 'PUT',
    url: item,
    id: 'replacePromptVersion',
    docs: { examples: promptExamples.change, reads: ['If-Match'], sends: ['ETag'] },
    summary: 'Replace the content of a prompt by a further version, or with only labels move them.',
    ...ofItem(promptResource, 'update'),
    query: dryRunQuery,
    body: PromptBody,
    response: { 200: schemas.item },
    handle: (call) => changeFrom(services, call, call.body),
    handleYaml: (call) => changeFrom(services, call, readYaml(call.body)),
  })

type ItemWrite = Call<{ readonly ns: DnsLabel; readonly name: string }, unknown, unknown, Access>

async function changeFrom(services: PromptServices, call: ItemWrite, body: unknown): Promise<unknown> {
  const { ns: namespace, name } = call.params
  const sent = readChange(body, { namespace, name })
  const labels = 'moves' in sent ? sent.moves.keys() : sent.labels
  await reviewLabels(services, call.caller, { namespace, name }, labels)
  const write = { ...storedKeyOf(call), ...authorshipOf(services, call), expect: expectVersion(call) }
  const row = await writeStored(services, call, async (tx) =>
    'moves' in sent ? moveLabelsIn(tx, write, sent.moves) : (await appendVersionIn(tx, { ...write, ...sent })).row,
  )
  return respondWith(services, promptResource, call, row)
}

const remove = (services: PromptServices): AnyEndpoint =>
  endpoint({
    method: 'DELETE',
    url: item,
    id: 'deletePromptVersion',
    docs: { reads: ['If-Match'] },
    summary: 'Delete a prompt with all its versions, or one version that is not in use.',
    ...ofItem(promptResource, 'delete'),
    query: PromptDeleteQuery,
    response: { 204: nothing },
    handle: async (call) => {
      const { version } = call.query
      await refuseUsed(services, call, version)
      const write = { ...storedKeyOf(call), ...authorshipOf(services, call), expect: expectVersion(call) }
      await writeStored(services, call, (tx) =>
        version === undefined ? deleteStoredIn(tx, promptResource, write) : deleteVersionIn(tx, write, version),
      )
    },
  })
