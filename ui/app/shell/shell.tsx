import { useQuery } from '@tanstack/react-query'
import { Outlet, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { capabilitiesQuery } from '../../api/capabilities.ts'
import { pluginPages } from '../../page-list.ts'
import { Toasts } from '../../parts/overlay/toasts.tsx'
import { openOverlay, useOverlay } from '../../parts/page/shell-store.ts'
import { ErrorPanel } from '../../parts/state/error-panel.tsx'
import { text } from '../../text/en.ts'
import { sectionsOf } from '../navigation/navigation.ts'
import { AllowedPage } from './allowed-page.tsx'
import { ShellKeys } from './shell-keys.tsx'
import styles from './shell.module.css'
import { Side } from './side.tsx'

const loadPalette = async () => ({ default: (await import('../palette/palette.tsx')).Palette })
const Palette = lazy(loadPalette)
const KeyList = lazy(async () => ({ default: (await import('./key-list.tsx')).KeyList }))

const PALETTE_MS = 500

/** Navigation and page. The server decides which pages there are. The page scrolls, never the window. */
export function Shell() {
  const path = useRouterState({ select: ({ location: { pathname } }) => pathname })
  const { data, error, refetch } = useQuery(capabilitiesQuery)
  const overlay = useOverlay()
  const main = useArrival(path)
  useEffect(() => {
    // Before it is asked for, so that no letter is lost that is typed while it loads.
    const timer = setTimeout(() => loadPalette().catch(() => undefined), PALETTE_MS)
    return () => clearTimeout(timer)
  }, [])
  const sections = data === undefined ? [] : sectionsOf(data, pluginPages)
  const close = (): void => openOverlay(undefined)
  const retry = (): void => {
    refetch().catch(() => undefined)
  }
  return (
    <div className={styles['shell']}>
      <a className={styles['skip']} href="#main">
        {text.shell.skip}
      </a>
      {overlay === 'navigation' ? (
        <button type="button" className={styles['veil']} aria-label={text.keys.close} onClick={close} />
      ) : undefined}
      <Side sections={sections} path={path} isOpen={overlay === 'navigation'} />
      <main ref={main} id="main" tabIndex={-1} className={styles['main']}>
        {error === null ? undefined : <ErrorPanel error={error} onRetry={retry} />}
        {data === undefined ? undefined : (
          <AllowedPage path={path} response={data}>
            <Outlet />
          </AllowedPage>
        )}
      </main>
      <ShellKeys sections={sections} />
      <Suspense>
        {overlay === 'palette' ? <Palette sections={sections} onClose={close} /> : undefined}
        {overlay === 'keys' ? <KeyList onClose={close} /> : undefined}
      </Suspense>
      <Toasts />
    </div>
  )
}

// A new page closes the overlays of the last one, and has the focus: a screen reader begins at its heading.
function useArrival(path: string) {
  const main = useRef<HTMLElement>(null)
  const shown = useRef(path)
  useEffect(() => {
    if (shown.current === path) return
    shown.current = path
    openOverlay(undefined)
    main.current?.focus({ preventScroll: true })
  }, [path])
  return main
}
