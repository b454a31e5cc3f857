import type { ReactNode } from 'react';

/** A labelled list to choose one option from. Options are values, or values and their labels. */
export function Choice({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (string | readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
}): ReactNode {
  return (
    <label className="choice">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map((option) => {
          const [each, text] = typeof option === 'string' ? [option, option] : option;
          return (
            <option key={each} value={each}>
              {text}
            </option>
          );
        })}
      </select>
    </label>
  );
}
