import { Button } from '#ui/parts/control/button.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import styles from './grants.module.css'
import { useConsent } from './use-grants.ts'
import type { WantedReturn } from './use-grants.ts'

interface ConsentButtonProps {
  readonly wanted: WantedReturn
  readonly children: string
}

/** Leaves the console for the authorization server. */
export function ConsentButton({ wanted, children }: ConsentButtonProps) {
  const { isBusy, error, begin } = useConsent(wanted)
  return (
    <div className={styles['begin']}>
      {error === undefined ? undefined : (
        <div role="alert">
          <Notice tone="bad">{error}</Notice>
        </div>
      )}
      <div>
        <Button kind="primary" icon="key" isBusy={isBusy} onClick={begin}>
          {children}
        </Button>
      </div>
    </div>
  )
}
