import type { Caller } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Tx } from '#core/event-store/store.ts'
import { findStoredRow } from '#core/http/store/objects/stored-rows.ts'
import { uidOf } from '#core/http/store/routes/stored-services.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import type { SentPrompt } from '../content/read-body.ts'
import { promptResource } from '../contract/resources.ts'
import type { PromptServices } from '../services/create-services.ts'
import { appendVersionIn, createPromptIn } from '../store/write-prompt.ts'
import type { WrittenPrompt } from '../store/write-prompt.ts'

/** Runs a write in a transaction. */
type RunWrite = (write: (tx: Tx) => Promise<WrittenPrompt>) => Promise<WrittenPrompt>

const { names, errors } = promptResource

/** Reviews the move of each protected label, also its removal. */
export async function reviewLabels(
  { protects }: Pick<PromptServices, 'protects'>,
  caller: Caller,
  { namespace, name }: { readonly namespace: DnsLabel; readonly name: string },
  labels: Iterable<string>,
): Promise<void> {
  for (const label of labels)
    if (protects.includes(label)) await caller.review('promote', names.resource, { namespace, name })
}

/** Creates a prompt or appends a version to it as the caller. A version of a prompt that exists also needs `update`. */
export async function savePrompt(
  services: PromptServices,
  caller: Caller,
  sent: SentPrompt,
  run: RunWrite,
): Promise<WrittenPrompt> {
  const { namespace, name, labels } = sent
  await caller.review('create', names.resource, { namespace })
  const write = { ...sent, by: caller.username, at: services.now(), expect: () => undefined }
  const append = async () => {
    await caller.review('update', names.resource, { namespace, name })
    await reviewLabels(services, caller, sent, labels)
    return run((tx) => appendVersionIn(tx, write))
  }
  if ((await findStoredRow(services.store.reader(), names, sent)) !== undefined) return append()
  await reviewLabels(services, caller, sent, labels)
  const place = { namespaceUid: await uidOf(services, namespace), quota: services.quota }
  try {
    return await run(async (tx) => ({ row: await createPromptIn(tx, write, place), isNew: true }))
  } catch (error) {
    // Another caller created it meanwhile.
    if (error instanceof Fail && error.code === errors.exists.code) return append()
    throw error
  }
}
