import type { DeniedRight } from '../../api/api-problem.ts'
import { text } from '../../text/en.ts'
import { Button } from '../control/button.tsx'
import { useCopy } from '../value/use-copy.ts'
import { toAccessRequest, toResourceName } from './access-request.ts'
import { PageState } from './page-state.tsx'

/** The caller may not see this. `right` is what the cluster named; absent where it named nothing. */
export function DeniedState({ right }: { readonly right?: DeniedRight | undefined }) {
  const [isCopied, copy] = useCopy()
  if (right === undefined)
    return (
      <PageState icon="lock" title={text.denied.page}>
        {text.denied.pageDetail}
      </PageState>
    )
  const { verb, resource, namespace } = right
  const request = toAccessRequest(right, text.denied.request(verb, toResourceName(right), namespace))
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
      {text.denied.needs} <b>{verb}</b> {text.denied.on} <b>{toResourceName(right)}</b> {text.denied.where(namespace)}
    </PageState>
  )
}
