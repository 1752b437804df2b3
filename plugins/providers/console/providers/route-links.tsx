import { Link } from '@tanstack/react-router'
import styles from './providers.module.css'

/** Links to routes, as `namespace/name`. */
export function RouteLinks({ routes }: { readonly routes: readonly string[] }) {
  return (
    <ul className={styles['links']}>
      {routes.map((route) => (
        <li key={route}>
          <Link to={`/modelroutes/${route.split('/').map(encodeURIComponent).join('/')}`} className="link" dir="auto">
            {route}
          </Link>
        </li>
      ))}
    </ul>
  )
}
