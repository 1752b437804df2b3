import { useRef } from 'react'
import { Button } from '#ui/parts/control/button.tsx'
import { YamlEditor } from '#ui/parts/document/yaml-editor.tsx'
import { promptsText } from '../shared/text.ts'

const text = promptsText.write
const MOST_BYTES = 262_144

interface FileFieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A document that is typed, pasted or opened from a file. */
export function FileField({ value, onChange }: FileFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  const read = async (file: File | undefined): Promise<void> => {
    if (file !== undefined) onChange(await file.slice(0, MOST_BYTES + 1).text())
  }
  return (
    <div>
      <p className="row">
        <span className="faint">{text.fileHint}</span>
        <span className="grow" />
        <Button isSmall onClick={() => input.current?.click()}>
          {text.open}
        </Button>
      </p>
      <input
        ref={input}
        type="file"
        accept=".yaml,.yml,.json"
        hidden
        aria-label={text.open}
        onChange={({ target }) => {
          read(target.files?.[0]).catch(() => undefined)
        }}
      />
      <YamlEditor label={text.file} value={value} rows={12} onChange={onChange} />
    </div>
  )
}
