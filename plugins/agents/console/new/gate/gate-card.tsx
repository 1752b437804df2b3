import { Suspense, lazy, useMemo, useState } from 'react'
import { useCapability } from '#ui/api/capabilities.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { Card } from '#ui/parts/page/card.tsx'
import { readYaml } from '#ui/parts/yaml/yaml-source.ts'
import { namedAgent } from './gated-file.ts'
import styles from './gate.module.css'
import { gateText as text } from './text.ts'

const GateDialog = lazy(async () => ({ default: (await import('./gate-dialog.tsx')).GateDialog }))

interface FileGateCardProps {
  readonly yaml: string
  readonly namespace: string
  readonly onTake: (yaml: string) => void
}

/** Whether new revisions wait for a score, and the button that makes them wait. */
export function FileGateCard({ yaml, namespace, onTake }: FileGateCardProps) {
  const hasSuites = useCapability('evals')
  const hasDatasets = useCapability('datasets')
  const [isOpen, setOpen] = useState(false)
  const { value } = useMemo(() => readYaml(yaml), [yaml])
  if (!hasSuites || !hasDatasets || value === undefined) return undefined
  const agent = namedAgent(value, namespace)
  return (
    <Card title={text.title}>
      <div className={styles['card']}>
        <p className="dim" role="status" dir="auto">
          {agent.suite === undefined ? text.none : text.gated(agent.suite)}
        </p>
        {agent.suite === undefined ? <Button onClick={() => setOpen(true)}>{text.action}</Button> : undefined}
      </div>
      {isOpen ? (
        <Suspense>
          <GateDialog {...{ yaml, agent, onTake }} onClose={() => setOpen(false)} />
        </Suspense>
      ) : undefined}
    </Card>
  )
}
