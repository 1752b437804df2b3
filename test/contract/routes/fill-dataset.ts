import assert from 'node:assert/strict'
import type { Send } from '../../flows/platform/send.ts'
import type { StoredPlace } from './fill-stored.ts'

/** Creates a dataset with a case, a case of a run, and a pin through the API. */
export async function fillDataset(
  { send, bearer, namespace, name }: StoredPlace & { readonly send: Send },
  runId: string,
): Promise<void> {
  const steps = [
    ['PUT', '', {}],
    ['PUT', '/cases/hello', { input: 'Hi.' }],
    ['POST', '/cases/from-run', { runId }],
    ['POST', '/pin', {}],
  ] as const
  for (const [method, suffix, body] of steps) {
    const path = `/api/datasets/${name}${suffix}?namespace=${namespace}`
    const made = await send({ method, path, bearer, body })
    assert.equal(made.status, 201, made.text)
  }
}
