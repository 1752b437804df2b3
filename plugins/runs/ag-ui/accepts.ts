/** Media type of a stream of AG-UI events on routes that also stream run events. */
export const AG_UI_TYPE = 'text/event-stream;profile="ag-ui"'

/** Whether a client accepts AG-UI: `text/event-stream` with the parameter `profile=ag-ui`, quoted or not. */
export function acceptsAgUi(accept: string | undefined): boolean {
  if (accept === undefined) return false
  return accept.split(',').some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return (
      type === 'text/event-stream' && parameters.some((one) => one === 'profile=ag-ui' || one === 'profile="ag-ui"')
    )
  })
}
