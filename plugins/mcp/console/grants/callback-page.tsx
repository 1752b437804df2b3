import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { ConsentResult, McpGrant } from '#schemas/api/mcp-grants.ts'
import { sendApi } from '#ui/api/request-api.ts'
import { useAddress } from '#ui/contract/search.ts'
import { ButtonLink } from '#ui/parts/control/button-link.tsx'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { PageState } from '#ui/parts/state/page-state.tsx'
import { consolePath, serverPath, toConsentResult, wordsOfConsent } from './grant-paths.ts'
import { grantsText } from './text.ts'
import { useGrantsAgain } from './use-grants.ts'

const text = grantsText.callback

type CompletedGrant = McpGrant & { readonly returnTo: string | null }

/** Where an authorization server returns to: the consent is stored, and the browser continues where it was asked for. */
export function ConsentCallbackPage() {
  const [search, change] = useAddress()
  // Of the first address only: it loses the code, and a state can be sent once.
  const [result] = useState(() => toConsentResult(search))
  const [failure, setFailure] = useState<string>()
  const isSent = useRef(false)
  const navigate = useNavigate()
  const readAgain = useGrantsAgain()
  useEffect(() => {
    if (result === undefined || isSent.current) return
    isSent.current = true
    change({ state: undefined, code: undefined, iss: undefined, error: undefined, error_description: undefined })
    complete(result)
      .then(({ namespace, server, returnTo }) => {
        readAgain()
        return navigate({ href: consolePath(returnTo) ?? serverPath(namespace, server), replace: true })
      })
      .catch((error: unknown) => setFailure(wordsOfConsent(error)))
  }, [result, change, navigate, readAgain])
  return (
    <>
      <PageBar title={text.title} />
      <CallbackState isBegun={result !== undefined} failure={failure} />
    </>
  )
}

async function complete(body: ConsentResult): Promise<CompletedGrant> {
  const done = await sendApi<CompletedGrant>({ method: 'POST', path: ['mcp', 'oauth', 'complete'], body })
  if (done === undefined) throw new Error(text.failed)
  return done
}

interface CallbackStateProps {
  readonly isBegun: boolean
  readonly failure: string | undefined
}

function CallbackState({ isBegun, failure }: CallbackStateProps) {
  const mine = <ButtonLink to="/mcpgrants">{text.mine}</ButtonLink>
  if (!isBegun)
    return (
      <PageState icon="key" title={text.none} actions={mine}>
        {text.noneDetail}
      </PageState>
    )
  if (failure !== undefined)
    return (
      <PageState isAlert icon="alert" title={text.failed} actions={mine}>
        {failure}
      </PageState>
    )
  return (
    <div role="status">
      <PageState icon="hourglass" title={text.working} />
    </div>
  )
}
