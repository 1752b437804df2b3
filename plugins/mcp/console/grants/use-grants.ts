import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { McpGrant } from '#schemas/api/mcp-grants.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { sendApi } from '#ui/api/request-api.ts'
import { authorizationAddress, wordsOfConsent } from './grant-paths.ts'
import { grantsText } from './text.ts'

const listed = apiQuery<{ readonly items: readonly McpGrant[] }>(['mcp', 'oauth', 'grants'])

/** The grants of the caller. */
export function useGrants() {
  return useQuery(listed)
}

/** A function that reads the grants again. */
export function useGrantsAgain(): () => void {
  const queries = useQueryClient()
  return () => {
    queries.invalidateQueries({ queryKey: ['mcp', 'oauth', 'grants'] }).catch(() => undefined)
  }
}

/** A consent that begins here, and where it returns to. */
export interface WantedReturn {
  readonly namespace: string
  readonly server: string
  readonly returnTo: string
}

/** Begins a consent: the browser goes to the authorization server. */
export function useConsent(wanted: WantedReturn) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const send = async (): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      const begun = await sendApi<{ readonly authorizationUrl: string }>({
        method: 'POST',
        path: ['mcp', 'oauth', 'grant'],
        body: wanted,
      })
      const address = authorizationAddress(begun?.authorizationUrl)
      if (address === undefined) throw new Error(grantsText.consent.wrongAddress)
      location.assign(address)
    } catch (failure) {
      setError(wordsOfConsent(failure))
      setBusy(false)
    }
  }
  return {
    isBusy,
    error,
    begin: (): void => {
      send().catch(() => undefined)
    },
  }
}
