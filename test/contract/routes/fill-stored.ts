import assert from 'node:assert/strict'
import type { StoredSlot } from '#core/plugin/stored-slot.ts'
import type { Send } from '../../flows/platform/send.ts'

/** An object of a stored resource. */
export interface StoredPlace {
  readonly bearer: string | undefined
  readonly namespace: string
  readonly name: string
  /** Path below which the plugin is mounted; default: that of built-in plugins. */
  readonly prefix?: string
}

/** Creates the sample of a stored resource through the API. */
export async function fillStored(send: Send, { resource }: StoredSlot, place: StoredPlace): Promise<void> {
  const { bearer, namespace, name, prefix = '/api' } = place
  const { names, spec } = resource
  const body = { namespace, name, ...(spec.sample as object) }
  const made = await send({ method: 'POST', path: `${prefix}/${names.plural}`, bearer, body })
  assert.equal(made.status, 201, made.text)
}
