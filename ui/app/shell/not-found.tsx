import { Link } from '@tanstack/react-router'
import { PageBar } from '../../parts/page/page-bar.tsx'
import { PageState } from '../../parts/state/page-state.tsx'
import { text } from '../../text/en.ts'
import { HOME_PATH } from '../navigation/key-targets.ts'

/** In place of a page that does not exist, or that a hidden plugin would have. */
export function NotFound() {
  return (
    <>
      <PageBar title={text.shell.missingTitle} />
      <PageState
        icon="search"
        title={text.shell.missingTitle}
        actions={
          <Link to={HOME_PATH} className="link">
            {text.shell.missingHome}
          </Link>
        }
      >
        {text.shell.missing}
      </PageState>
    </>
  )
}
