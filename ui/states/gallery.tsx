import type { PartStates } from '../parts/part-states.ts'
import { allStates } from './all-states.ts'
import styles from './gallery.module.css'

/** Every part in every state; `?part=` shows one of them. */
export function Gallery() {
  const wanted = new URLSearchParams(location.search).get('part')
  const shown = allStates.filter(({ part }) => wanted === null || part === wanted)
  return (
    <main className={styles['page']}>
      {shown.map((one) => (
        <GalleryPart key={one.part} shown={one} />
      ))}
    </main>
  )
}

function GalleryPart({ shown: { part, states } }: { readonly shown: PartStates }) {
  return (
    <section className={styles['part']} data-part={part}>
      <h2>{part}</h2>
      {states.map(({ name, show }) => (
        <div key={name} className={styles['state']}>
          <div className={styles['name']}>{name}</div>
          <div className={styles['shown']}>{show()}</div>
        </div>
      ))}
    </section>
  )
}
