import { useParams } from '@tanstack/react-router'
import { useAddress } from '#ui/contract/search.ts'
import { ButtonLink } from '#ui/parts/control/button-link.tsx'
import { Card, Report } from '#ui/parts/page/card.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { ConsentButton } from './consent-button.tsx'
import { serverPath } from './grant-paths.ts'
import styles from './grants.module.css'
import { grantsText } from './text.ts'
import { useGrants } from './use-grants.ts'

const text = grantsText.consent

/** Asks the caller for a consent that a run waits for. The browser leaves for the authorization server only after a press. */
export function ConsentPage() {
  const { ns = '', server = '' } = useParams({ strict: false }) as { readonly ns?: string; readonly server?: string }
  const [{ run }] = useAddress()
  const { data } = useGrants()
  const returnTo = run === undefined ? serverPath(ns, server) : `/runs/${encodeURIComponent(run)}`
  const isGranted = data?.items.some((one) => one.namespace === ns && one.server === server && one.usable) === true
  return (
    <>
      <PageBar title={text.title(server)} />
      <Report>
        <Card>
          <div className={styles['card']}>
            <p className="user-text" dir="auto">
              {text.detail(`${ns}/${server}`)} {run === undefined ? '' : text.ofRun}
            </p>
            {isGranted ? <Notice tone="ok">{text.done}</Notice> : undefined}
            <div className={styles['buttons']}>
              <ConsentButton wanted={{ namespace: ns, server, returnTo }}>{text.go}</ConsentButton>
              <ButtonLink to={returnTo}>{run === undefined ? text.back : text.run}</ButtonLink>
            </div>
          </div>
        </Card>
      </Report>
    </>
  )
}
