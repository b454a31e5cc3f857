import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './shell/app.tsx';
import { applyTheme, readTheme } from './shell/theme.ts';
import { ErrorBoundary } from './widgets/error-boundary.tsx';

applyTheme(readTheme());
const root = document.querySelector('#root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <ErrorBoundary>
        <App />
      </ErrorBoundary>
    </StrictMode>,
  );
}
