import { text } from '../../text/en.ts'
import { Button } from '../control/button.tsx'
import { useCopy } from '../value/use-copy.ts'
import { PageState, StateCode } from './page-state.tsx'

interface NotEnabledProps {
  readonly reason: 'disabled' | 'unconfigured'
  /** The setting with its value, as it is written in a settings file; absent if the server names none. */
  readonly setting?: string | undefined
}

/** A part of the installation that is off, or not configured. */
export function NotEnabled({ reason, setting }: NotEnabledProps) {
  const [isCopied, copy] = useCopy()
  const action =
    setting === undefined ? undefined : (
      <Button icon={isCopied ? 'check' : 'copy'} onClick={() => copy(setting)}>
        {isCopied ? text.copy.done : text.notEnabled.copy}
      </Button>
    )
  return (
    <PageState icon="plug" title={text.notEnabled[reason]} actions={action} facts={text.notEnabled.who}>
      {setting === undefined ? text.notEnabled.detail[reason] : <StateCode>{setting}</StateCode>}
    </PageState>
  )
}
