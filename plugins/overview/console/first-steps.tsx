import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { capabilitiesQuery } from '#ui/api/capabilities.ts'
import { useReachable } from '#ui/contract/reachable.ts'
import { useSession } from '#ui/api/session.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { Guide } from '#ui/parts/page/guide.tsx'
import { useCopy } from '#ui/parts/value/use-copy.ts'
import { areDismissed, dismissSteps, useTakenSteps } from './steps-store.ts'
import { homeText } from './text.ts'

const { steps: text } = homeText

interface FirstStep {
  readonly id: string
  readonly title: string
  readonly hint: string
  /** A page, or a page of documents; absent for a command. */
  readonly to?: string
  readonly command?: string
}

const DOCS = '/docs'

const steps: readonly FirstStep[] = [
  { id: 'talk', title: text.talk, hint: text.talkHint, to: '/agents' },
  { id: 'trace', title: text.trace, hint: text.traceHint, to: '/runs' },
  { id: 'make', title: text.make, hint: text.makeHint, to: '/agents/new' },
  { id: 'model', title: text.model, hint: text.modelHint, to: '/providers' },
  { id: 'api', title: text.api, hint: text.apiHint, to: DOCS },
]
/** Those of the embedded default, which has a demo and a folder of credentials. */
const localSteps: readonly FirstStep[] = [
  { id: 'decide', title: text.decide, hint: text.decideHint, to: '/agents' },
  { id: 'terminal', title: text.terminal, hint: text.terminalHint, command: text.terminalCommand },
]

/** What to try first. It leaves when all is done, or when it was dismissed. */
export function FirstSteps({ hasRuns }: { readonly hasRuns: boolean }) {
  const [taken] = useTakenSteps()
  // That of the navigation, which has asked already.
  const { data } = useQuery(capabilitiesQuery)
  const isLocal = (useSession()?.session?.personas.length ?? 0) > 0
  const isReachable = useReachable()
  const shown = [...steps, ...(isLocal ? localSteps : [])].filter(
    ({ to }) => to === undefined || to === DOCS || isReachable(to),
  )
  const isDone = ({ id }: FirstStep): boolean => taken.has(id) || (id === 'talk' && hasRuns)
  if (data === undefined || areDismissed(taken) || shown.every(isDone)) return undefined
  return (
    <Guide
      title={text.title}
      onDismiss={dismissSteps}
      steps={shown.map((step) => ({
        title: step.title,
        hint: step.hint,
        isDone: isDone(step),
        action: <StepAction step={step} />,
      }))}
    />
  )
}

function StepAction({ step: { id, title, to, command } }: { readonly step: FirstStep }) {
  const [, take] = useTakenSteps()
  const navigate = useNavigate()
  const [isCopied, copy] = useCopy()
  const start = (): void => {
    take(id)
    if (to === DOCS) location.assign(to)
    else if (to !== undefined) navigate({ to }).catch(() => undefined)
  }
  if (command === undefined)
    return (
      <Button isSmall aria-label={`${text.start}: ${title}`} onClick={start}>
        {text.start}
      </Button>
    )
  return (
    <Button isSmall icon="copy" aria-label={`${text.copy}: ${command}`} onClick={() => copy(command)}>
      {isCopied ? text.copied : text.copy}
    </Button>
  )
}
