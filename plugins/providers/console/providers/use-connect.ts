import { useState } from 'react'
import type { ConnectProviderBody, Provider } from '#schemas/api/providers.ts'
import { sendApi } from '#ui/api/request-api.ts'
import type { StepState } from '#ui/parts/status/step-state.ts'

/** Both steps of a connection. */
interface ConnectSteps {
  readonly try: StepState
  readonly store: StepState
}

/** A connection under way. Its body has the key, so that it is an argument and no state: a mutation would keep it. */
export function useConnect(onConnected: (made: Provider) => void) {
  const [steps, setSteps] = useState<ConnectSteps>()
  const [error, setError] = useState<Error | null>(null)
  const connect = async (body: ConnectProviderBody, isTried: boolean): Promise<void> => {
    let at: ConnectSteps = { try: isTried ? 'running' : 'skipped', store: isTried ? 'waiting' : 'running' }
    setError(null)
    setSteps(at)
    try {
      // A dry run asks the cluster and the provider, and stores nothing.
      if (isTried) await post({ ...body, validate: true }, { dryRun: 'All' })
      at = { try: isTried ? 'done' : 'skipped', store: 'running' }
      setSteps(at)
      const made = await post({ ...body, validate: false }, {})
      if (made !== undefined) onConnected(made)
    } catch (failure) {
      setSteps(at.store === 'running' ? { ...at, store: 'failed' } : { ...at, try: 'failed' })
      setError(failure instanceof Error ? failure : new Error(String(failure)))
    }
  }
  const isBusy = steps !== undefined && Object.values(steps).includes('running')
  return { steps, error, isBusy, connect }
}

function post(body: ConnectProviderBody, query: { readonly dryRun?: string }): Promise<Provider | undefined> {
  return sendApi<Provider>({ method: 'POST', path: ['providers'], body, query })
}
