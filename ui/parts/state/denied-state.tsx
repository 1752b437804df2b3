import type { DeniedRight } from '../../api/api-problem.ts'
import { text } from '../../text/en.ts'
import { Button } from '../control/button.tsx'
import { useCopy } from '../value/use-copy.ts'
import { toAccessRequest, toResourceName } from './access-request.ts'
import { PageState } from './page-state.tsx'

interface DeniedStateProps {
  /** What the cluster named; absent where it named nothing. */
  readonly right?: DeniedRight | undefined
  /** The right is enough in any namespace, if it names none. */
  readonly isAnywhere?: boolean
}

/** The caller may not see this. */
export function DeniedState({ right, isAnywhere = false }: DeniedStateProps) {
  const [isCopied, copy] = useCopy()
  if (right === undefined)
    return (
      <PageState icon="lock" title={text.denied.page}>
        {text.denied.pageDetail}
      </PageState>
    )
  const { verb, resource, namespace } = right
  const request = toAccessRequest(
    right,
    text.denied.request(verb, toResourceName(right), text.denied.place(namespace, isAnywhere)),
  )
  return (
    <PageState
      icon="lock"
      title={text.denied.title(verb, resource)}
      actions={
        <Button icon={isCopied ? 'check' : 'copy'} onClick={() => copy(request)}>
          {isCopied ? text.copy.done : text.denied.copy}
        </Button>
      }
    >
      {text.denied.needs} <b>{verb}</b> {text.denied.on} <b>{toResourceName(right)}</b>{' '}
      {text.denied.where(namespace, isAnywhere)}
    </PageState>
  )
}
